// Writes the typed documents of a folder, for the client and for the console.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';
import { describeSchema } from './describe-schema.mjs';
import { SCALARS } from './scalars.mjs';

export const SCHEMA = new URL('../../schema.graphql', import.meta.url);

export const mapScalars = (names) => {
  const unknown = names.filter((name) => SCALARS[name] === undefined);
  if (unknown.length > 0) {
    throw new Error(`client/scripts/scalars.mjs has no type for: ${unknown.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, SCALARS[name]]));
};

/** Parses the documents of a folder, sorted by file name. */
export const readDocuments = (folder) =>
  readdirSync(folder)
    .sort()
    .map((name) => ({
      location: name,
      document: parse(readFileSync(new URL(name, folder), 'utf8'), { noLocation: true }),
    }));

export const writeDocuments = async (documents, target) => {
  const text = readFileSync(SCHEMA, 'utf8');
  const schemaAst = buildSchema(text);
  const { scalars } = describeSchema(schemaAst);
  const written = await codegen({
    filename: 'documents.ts',
    schema: parse(text),
    schemaAst,
    documents,
    config: {
      useTypeImports: true,
      strictScalars: true,
      enumType: 'string-literal',
      enumsAsTypes: true,
      scalars: mapScalars(scalars),
    },
    plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
    pluginMap: { typescriptOperations, typedDocumentNode },
  });
  writeFileSync(target, written);
};
