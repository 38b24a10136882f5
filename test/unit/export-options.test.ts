import { expect, test } from 'vitest';
import { formatPosition, parsePosition } from '../../src/cli/export/export-position.js';
import { nextPageSize } from '../../src/cli/export/read-pages.js';
import { upTo } from '../../src/cli/export/upper-bound.js';
import { exportCommand } from '../../src/cli/export.js';
import { tailCommand } from '../../src/cli/tail.js';

const run = async (command: typeof exportCommand, args: readonly string[]) => {
  let output = '';
  let status: number | null = null;
  const terminal = {
    env: { DATA_DIR: '/nowhere/at/all' },
    writeError: (text: string) => {
      output += text;
    },
    hasColor: false,
    isInteractive: false,
    exit: (code: number) => {
      status = code;
    },
  };
  await command(terminal).exitOverride().parseAsync(args, { from: 'user' });
  return { output, status };
};

test.each([
  [['--type', 'nonsense'], "There is no event type 'nonsense'"],
  [['--resume'], '--resume requires --output'],
  [['--force'], '--force requires --output'],
  [['--force', '--resume', '--output', 'x'], 'not both'],
  [['--after', '1.0.', '--output', 'x'], '--after applies to standard output only'],
  [['--after', 'somewhere'], '--after must be a position'],
  [['--token', 'x'], '--token requires --url'],
  [['--url', 'ftp://x'], '--url must be the address of a gateway'],
  [['--url', 'http://me:secret@127.0.0.1:1'], 'must not contain a user name'],
  [['--url', 'http://127.0.0.1:1'], 'set FLAGGRAPH_TOKEN'],
  [['--url', 'http://127.0.0.1:1', '--token', 'two\nlines'], 'characters that no token has'],
  [['--output', ''], '--output must be the name of a file'],
  [['--output', '/'], '/ is a folder'],
  [[], 'There is no embedded database in /nowhere/at/all'],
])('export rejects %j with a message', async (args, sentence) => {
  const { output, status } = await run(exportCommand, args);
  expect(status).toBe(1);
  expect(output).toMatch(/^error: .*\n$/);
  expect(output).toContain(sentence);
  expect(output).not.toContain('secret');
});

test.each([
  [[], 'Nothing to follow'],
  [['--last', '3', '--after', 'x'], '--after or --last, not both'],
  [['--after', 'no cursor'], '--after must be a cursor'],
  [['--url', 'http://127.0.0.1:1'], 'set FLAGGRAPH_TOKEN'],
  [['--url', 'http://127.0.0.1:1', '--from', 'now'], "(got 'now')"],
])('tail rejects %j with a message', async (args, sentence) => {
  const { output, status } = await run(tailCommand, args);
  expect(status).toBe(1);
  expect(output).toMatch(/^error: .*\n$/);
  expect(output).toContain(sentence);
});

test('parses the positions that it formats', () => {
  for (const position of [
    { upTo: 4711, count: 12, cursor: 'MTpB-_Nk' },
    { upTo: 0, count: 0, cursor: null },
  ]) {
    expect(parsePosition(formatPosition(position))).toEqual(position);
  }
});

test('combines the end of an export with a filter of IDs', () => {
  expect(upTo({}, 10)).toEqual({ id: { before: 11 } });
  expect(upTo({ id: { from: 3, before: 5 }, text: 'x' }, 10)).toEqual({
    id: { from: 3, before: 5 },
    text: 'x',
  });
  expect(upTo({ id: { before: 50 } }, 10)).toEqual({ id: { before: 11 } });
  expect(upTo({ id: { before: null } }, 10)).toEqual({ id: { before: 11 } });
  expect(upTo({ id: { from: 3 } }, 2 ** 31 - 1)).toEqual({ id: { from: 3 } });
});

test('adapts page sizes to the size of events', () => {
  expect(nextPageSize(100, { count: 100, bytes: 10_000 })).toBe(200);
  expect(nextPageSize(800, { count: 800, bytes: 80_000 })).toBe(1_000);
  expect(nextPageSize(800, { count: 800, bytes: 80_000_000 })).toBeLessThan(10);
  expect(nextPageSize(2, { count: 2, bytes: 80_000_000 })).toBe(1);
});
