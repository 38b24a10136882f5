import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SQL = /\bPrisma\.(?:sql|raw|join|empty)\b|\$(?:query|execute)Raw/;
/** Parts that statements of all subjects share, and what inspects or prepares the database. */
const SHARED = /^data\/(?:[\w-]+\.ts|(?:doctor|pool)\/[\w-]+\.ts)$/;
const OTHERS = /^(?:demo|cli)\//;

test('SQL is in files that are named for it, below data', () => {
  const root = new URL('../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('data/generated/'))
    .filter((path) => SQL.test(readFileSync(new URL(path, root), 'utf8')));
  const unexpected = files.filter(
    (path) =>
      !/^data\/(?:\w+\/)?[\w-]+\.sql\.ts$/.test(path) && !SHARED.test(path) && !OTHERS.test(path),
  );
  expect(files.length).toBeGreaterThan(30);
  expect(unexpected).toEqual([]);
});
