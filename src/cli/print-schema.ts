import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../graphql/schema/index.js';

const FILE = new URL('../../schema.graphql', import.meta.url);

/** The schema as SDL, in an order that does not depend on the code. */
export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

const printed = printedSchema();
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, printed);
} else if (readFileSync(FILE, 'utf8') !== printed) {
  process.stderr.write('schema.graphql is out of date: run `npm run schema` and commit it.\n');
  process.exitCode = 1;
}
