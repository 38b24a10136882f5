import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../scripts/schema-changes.mjs', import.meta.url));
const BEFORE = 'type Query {\n  """How many."""\n  count: Int!\n\n  name: String\n}\n';

// Each run starts its own process.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let unchanged: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-schema-'));
  unchanged = folder;
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'docs/reference'), { recursive: true });
  writeFileSync(
    join(folder, 'docs/reference/breaking-changes.md'),
    '| day | what | why |\n|---|---|---|\n',
  );
  change(BEFORE);
  expect(run()).toMatchObject({ status: 0 });
});
afterAll(() => rmSync(unchanged, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-schema-'));
  cpSync(unchanged, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const change = (sdl: string) => writeFileSync(join(folder, 'schema.graphql'), sdl);
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const run = (...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { cwd: folder, encoding: 'utf8' });

test('the accepted schema contains no descriptions', () => {
  const accepted = read('scripts/schema.accepted.graphql');
  expect(accepted).toBe('# Schema 0.1\n\ntype Query {\n  count: Int!\n  name: String\n}\n');
  change(BEFORE.replace('How many.', 'So many.'));
  expect(run('--check').status).toBe(0);
});

test('additions have to be accepted, and are no breaking changes', () => {
  change(BEFORE.replace('name: String', 'name: String\n  more: Int'));
  expect(run('--check')).toMatchObject({
    status: 1,
    stderr: 'scripts/schema.accepted.graphql is out of date: run `npm run schema` and commit it.\n',
  });
  expect(run().status).toBe(0);
  expect(read('scripts/schema.accepted.graphql')).toContain('more: Int');
  expect(run('--check').status).toBe(0);
  expect(read('docs/reference/breaking-changes.md')).not.toContain('more');
});

test.each([
  ['a removed field', BEFORE.replace('  name: String\n', ''), "Field 'name' was removed"],
  [
    'a field that becomes nullable',
    BEFORE.replace('Int!', 'Int'),
    "Field 'Query.count' changed type from 'Int!' to 'Int'",
  ],
  ['a new argument', BEFORE.replace('name:', 'name(of: Int!):'), "Argument 'of: Int!' added"],
])('%s is rejected until it is accepted with a reason', (_title, sdl, message) => {
  change(sdl);
  const accepted = read('scripts/schema.accepted.graphql');
  for (const args of [['--check'], []]) {
    const { status, stderr } = run(...args);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain('npm run schema -- --accept');
    expect(read('scripts/schema.accepted.graphql')).toBe(accepted);
  }
  expect(run('--accept', ' ')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Add a reason/),
  });

  expect(run('--accept', 'nobody | asked\nfor it').status).toBe(0);
  expect(run('--check').status).toBe(0);
  const [row = ''] = read('docs/reference/breaking-changes.md').trimEnd().split('\n').slice(2);
  expect(row).toMatch(/^\| \d{4}-\d\d-\d\d \| /);
  expect(row).toContain(message);
  expect(row).toContain('| nobody \\| asked for it |');
});

test('a release accepts all breaking changes as one row, and names the version from then on', () => {
  change('type Query {\n  total: Int!\n}\n');
  expect(run('--release', 'one', '--accept', 'why')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Add a version/),
  });
  expect(run('--release', '1.0').status).toBe(1);
  expect(run('--release', '1.0', '--accept', 'One word per thing.').status).toBe(0);
  const rows = read('docs/reference/breaking-changes.md').trimEnd().split('\n').slice(2);
  expect(rows).toEqual([
    expect.stringMatching(
      /^\| [\d-]+ \| Schema 1\.0: 2 breaking changes \| One word per thing\. \|$/,
    ),
  ]);
  expect(run('--check')).toMatchObject({
    status: 0,
    stdout: 'Schema 1.0: no breaking changes.\n',
  });
});
