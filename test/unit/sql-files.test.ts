import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SQL = /\bPrisma\.(?:sql|raw|join|empty)\b|\$(?:query|execute)Raw/;
/** Passes statements of others on. */
const PASSES_ON = 'data/sql-session.ts';

test('SQL is in files that are named for it, below data', () => {
  const root = new URL('../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('data/generated/'))
    .filter((path) => SQL.test(readFileSync(new URL(path, root), 'utf8')));
  const unexpected = files.filter(
    (path) =>
      !/^data\/(?:\w+\/)?[\w-]+\.sql\.ts$/.test(path) &&
      !path.startsWith('demo/') &&
      path !== PASSES_ON,
  );
  expect(files.length).toBeGreaterThan(30);
  expect(unexpected).toEqual([]);
});
