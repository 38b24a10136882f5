import { readdirSync, readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { schemaFor } from '../../src/graphql/schema/index.js';

const FOLDER = new URL('../../console/documents/', import.meta.url);
const schema = schemaFor({ federation: false });

test.each(readdirSync(FOLDER).sort())('%s is valid and has one operation', (name) => {
  const document = parse(readFileSync(new URL(name, FOLDER), 'utf8'));
  expect(validate(schema, document)).toEqual([]);
  const operations = document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
  expect(operations).toHaveLength(1);
});
