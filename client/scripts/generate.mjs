// Writes src/generated/ from the schema of the gateway and from documents/.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema, parse } from 'graphql';
import { describeSchema } from './describe-schema.mjs';
import { SCALARS } from './scalars.mjs';

const FOLDER = new URL('../', import.meta.url);
const GENERATED = new URL('src/generated/', FOLDER);
const SCHEMA = new URL('../schema.graphql', FOLDER);
const DOCUMENTS = new URL('documents/', FOLDER);

const write = (name, text) => writeFileSync(new URL(name, GENERATED), text);
const constant = (name, value, suffix = '') =>
  `export const ${name} = ${JSON.stringify(value, undefined, 2)}${suffix};\n`;

const mapScalars = (names) => {
  const unknown = names.filter((name) => SCALARS[name] === undefined);
  if (unknown.length > 0) {
    throw new Error(`client/scripts/scalars.mjs has no type for: ${unknown.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, SCALARS[name]]));
};

const writeFacts = ({ possibleTypes, scalars, ...facts }) => {
  write(
    'possible-types.ts',
    constant('possibleTypes', possibleTypes).replace(
      'possibleTypes =',
      'possibleTypes: Record<string, string[]> =',
    ),
  );
  write('scalars.ts', constant('scalars', mapScalars(scalars), ' as const'));
  write(
    'schema-facts.ts',
    Object.entries(facts)
      .map(([name, value]) => constant(name, value, ' as const'))
      .join('\n'),
  );
};

const writeDocuments = async (schema, scalars) => {
  const documents = readdirSync(DOCUMENTS)
    .sort()
    .map((name) => ({
      location: name,
      document: parse(readFileSync(new URL(name, DOCUMENTS), 'utf8'), { noLocation: true }),
    }));
  const text = await codegen({
    filename: 'documents.ts',
    schema: parse(readFileSync(SCHEMA, 'utf8')),
    schemaAst: schema,
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
  write('documents.ts', text);
};

const schema = buildSchema(readFileSync(SCHEMA, 'utf8'));
const facts = describeSchema(schema);
mkdirSync(GENERATED, { recursive: true });
writeFacts(facts);
const introspection = minifyIntrospectionQuery(introspectionFromSchema(schema), {
  includeScalars: false,
  includeEnums: false,
  includeInputs: false,
  includeDirectives: false,
});
write(
  'introspection.ts',
  [
    "import type { CacheExchangeOpts } from '@urql/exchange-graphcache';\n",
    "type Schema = NonNullable<CacheExchangeOpts['schema']>;",
    `const text = ${JSON.stringify(JSON.stringify(introspection))};`,
    'export const schema: Schema = JSON.parse(text);\n',
  ].join('\n'),
);
await writeDocuments(schema, facts.scalars);
copyFileSync(SCHEMA, new URL('schema.graphql', FOLDER));
