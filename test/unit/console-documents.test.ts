import { readdirSync, readFileSync } from 'node:fs';
import { concatAST, type DocumentNode, parse, separateOperations, validate } from 'graphql';
import { expect, test } from 'vitest';
import { schemaFor } from '../../src/graphql/schema/index.js';

const CONSOLE = new URL('../../console/', import.meta.url);
const schema = schemaFor({ federation: false });

const parseFolder = (folder: string): { name: string; document: DocumentNode }[] =>
  readdirSync(new URL(folder, CONSOLE))
    .sort()
    .map((name) => ({
      name,
      document: parse(readFileSync(new URL(`${folder}/${name}`, CONSOLE), 'utf8')),
    }));

const documents = parseFolder('documents');
const fragments = parseFolder('fragments');
const all = concatAST([...documents, ...fragments].map(({ document }) => document));

test.each(documents)('$name has one operation, which comes first', ({ document }) => {
  const [first, ...others] = document.definitions.map(({ kind }) => kind as string);
  expect(first).toBe('OperationDefinition');
  expect(others).not.toContain('OperationDefinition');
});

test.each(Object.entries(separateOperations(all)))('%s is valid', (_name, document) => {
  expect(validate(schema, document)).toEqual([]);
});

test.each(fragments)('$name has one fragment, which several documents use', ({ document }) => {
  const [fragment, ...others] = document.definitions;
  expect([fragment?.kind, others]).toEqual(['FragmentDefinition', []]);
  const users = Object.values(separateOperations(all)).filter(({ definitions }) =>
    definitions.some((one) => one === fragment),
  );
  expect(users.length).toBeGreaterThan(1);
});
