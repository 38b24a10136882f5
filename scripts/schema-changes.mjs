import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, parse, print, visit } from 'graphql';

const SCHEMA = 'schema.graphql';
/** The last published shape of the schema. Descriptions are not part of the contract. */
const ACCEPTED = 'scripts/schema.accepted.graphql';
const RECORD = 'docs/reference/breaking-changes.md';

const withoutDescriptions = (sdl) =>
  `${print(visit(parse(sdl), { enter: ({ description, ...node }) => (description ? node : undefined) }))}\n`;

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

const listed = (changes) => changes.map(({ message }) => `  - ${message}`).join('\n');

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, accept: { type: 'string' } },
});

const current = withoutDescriptions(readFileSync(SCHEMA, 'utf8'));
const accepted = read(ACCEPTED) ?? current;
const changes = await diff(buildSchema(accepted), buildSchema(current));
const breaking = changes.filter(
  ({ criticality }) => criticality.level === CriticalityLevel.Breaking,
);

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

if (values.accept !== undefined && values.accept.trim() === '') {
  fail('Add a reason: npm run schema -- --accept "why, and what to use instead"');
}
if (breaking.length > 0 && values.accept === undefined) {
  fail(
    `${SCHEMA} has breaking changes:\n${listed(breaking)}\nRevert them, or accept them: npm run schema -- --accept "why, and what to use instead"`,
  );
}
if (values.check) {
  if (read(ACCEPTED) !== current)
    fail(`${ACCEPTED} is out of date: run \`npm run schema\` and commit it.`);
} else {
  if (breaking.length > 0) {
    const day = new Date().toISOString().slice(0, 10);
    const cell = (text) => text.trim().replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
    const rows = breaking.map(
      ({ message }) => `| ${day} | ${cell(message)} | ${cell(values.accept)} |\n`,
    );
    writeFileSync(RECORD, `${readFileSync(RECORD, 'utf8').trimEnd()}\n${rows.join('')}`);
    process.stdout.write(`Accepted and recorded in ${RECORD}:\n${listed(breaking)}\n`);
  }
  writeFileSync(ACCEPTED, current);
}
