// Writes src/generated/ from the schema of the gateway and from documents/.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { describeSchema } from './describe-schema.mjs';
import { mapScalars, readDocuments, SCHEMA, writeDocuments } from './write-documents.mjs';

const FOLDER = new URL('../', import.meta.url);
const GENERATED = new URL('src/generated/', FOLDER);
const DOCUMENTS = new URL('documents/', FOLDER);

const write = (name, text) => writeFileSync(new URL(name, GENERATED), text);
const constant = (name, value, suffix = '') =>
  `export const ${name} = ${JSON.stringify(value, undefined, 2)}${suffix};\n`;

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
await writeDocuments(readDocuments(DOCUMENTS), new URL('documents.ts', GENERATED));
copyFileSync(SCHEMA, new URL('schema.graphql', FOLDER));
