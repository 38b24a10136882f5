import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, parse, print, visit } from 'graphql';

const SCHEMA = 'schema.graphql';
/** The last published shape of the schema, and its version. Descriptions are not part of the contract. */
const ACCEPTED = 'scripts/schema.accepted.graphql';
const RECORD = 'docs/reference/breaking-changes.md';

const withoutDescriptions = (sdl) =>
  `${print(visit(parse(sdl), { enter: ({ description, ...node }) => (description ? node : undefined) }))}\n`;

const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null);

const listed = (changes) => changes.map(({ message }) => `  - ${message}`).join('\n');

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    accept: { type: 'string' },
    // Accepts all breaking changes as one row: a new version of the schema.
    release: { type: 'string' },
  },
});
if (values.accept !== undefined && values.accept.trim() === '') {
  fail('Add a reason: npm run schema -- --accept "why, and what to use instead"');
}
if (values.release !== undefined && !/^\d+\.\d+$/.test(values.release)) {
  fail('Add a version such as 1.0: npm run schema -- --release 1.0 --accept "why"');
}

const shape = withoutDescriptions(readFileSync(SCHEMA, 'utf8'));
const accepted = read(ACCEPTED);
const version = values.release ?? /^# Schema (\S+)\n/.exec(accepted ?? '')?.[1] ?? '0.1';
const current = `# Schema ${version}\n\n${shape}`;
const changes = await diff(buildSchema(accepted ?? shape), buildSchema(shape));
const breaking = changes.filter(
  ({ criticality }) => criticality.level === CriticalityLevel.Breaking,
);

if (breaking.length > 0 && values.accept === undefined) {
  fail(
    `${SCHEMA} has breaking changes:\n${listed(breaking)}\nRevert them, or accept them: npm run schema -- --accept "why, and what to use instead"`,
  );
}

const recordBreakingChanges = () => {
  const day = new Date().toISOString().slice(0, 10);
  const cell = (text) => text.trim().replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
  const what = values.release
    ? [`Schema ${version}: ${breaking.length} breaking changes`]
    : breaking.map(({ message }) => message);
  const rows = what.map((text) => `| ${day} | ${cell(text)} | ${cell(values.accept)} |\n`);
  writeFileSync(RECORD, `${readFileSync(RECORD, 'utf8').trimEnd()}\n${rows.join('')}`);
  process.stdout.write(`Accepted and recorded in ${RECORD}:\n${listed(breaking)}\n`);
};

if (values.check) {
  if (accepted !== current)
    fail(`${ACCEPTED} is out of date: run \`npm run schema\` and commit it.`);
} else {
  if (breaking.length > 0) recordBreakingChanges();
  writeFileSync(ACCEPTED, current);
}
process.stdout.write(`Schema ${version}: no breaking changes.\n`);
