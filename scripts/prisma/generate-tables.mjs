#!/usr/bin/env node
// A Prisma generator: writes the table and column names of each model, for the SQL that Prisma's own queries can't
// express. @prisma/generator-helper is the protocol between Prisma and its generators, pinned to Prisma's version.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import helper from '@prisma/generator-helper';

const isColumn = ({ kind }) => kind === 'scalar' || kind === 'enum';

const tableOf = ({ name, dbName, fields }) => {
  const columns = fields.filter(isColumn);
  return {
    name: dbName ?? name,
    columns: Object.fromEntries(columns.map((field) => [field.name, field.dbName ?? field.name])),
    times: columns.filter(({ type }) => type === 'DateTime').map((field) => field.name),
  };
};

const declare = (model) =>
  `export const ${model.name}Table: Table<${model.name}> = ${JSON.stringify(tableOf(model), null, 2)};\n`;

const listOf = (models) =>
  `export const TABLES = { ${models.map(({ name }) => `${name}: ${name}Table`).join(', ')} };\n`;

const importsFor = (models) => `import type { Table } from '../sql/tables.sql.js';
import type { ${models.map(({ name }) => name).join(', ')} } from './prisma/client.js';
`;

helper.generatorHandler({
  onManifest: () => ({ prettyName: 'table and column names' }),
  onGenerate: async ({ generator, dmmf }) => {
    const { models } = dmmf.datamodel;
    const file = generator.output.value;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, [importsFor(models), ...models.map(declare), listOf(models)].join('\n'));
  },
});
