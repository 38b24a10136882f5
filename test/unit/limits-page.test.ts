import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/operations/limits.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('## Caches, queues and buffers');

/** The cells of each row below the header. */
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test('every cache, queue and buffer has a file and a bound', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const [what, files = '', entries, bytes] of rows) {
    const paths = [...files.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
    expect(paths, what).not.toEqual([]);
    for (const path of paths) {
      expect(existsSync(new URL(`../../src/${path}`, import.meta.url)), path).toBe(true);
    }
    expect(`${entries}${bytes}`, what).not.toBe('');
  }
});
