import { expect, test } from 'vitest';
import { placeText, readPlace } from '../../src/cli/export/place.js';
import { nextPageSize } from '../../src/cli/export/read-pages.js';
import { upTo } from '../../src/cli/export/upper-bound.js';
import { exportCommand } from '../../src/cli/export.js';
import { tailCommand } from '../../src/cli/tail.js';

const run = async (command: typeof exportCommand, args: readonly string[]) => {
  let said = '';
  let status: number | null = null;
  const terminal = {
    env: { DATA_DIR: '/nowhere/at/all' },
    tell: (text: string) => {
      said += text;
    },
    hasColour: false,
    isWatched: false,
    exit: (code: number) => {
      status = code;
    },
  };
  await command(terminal).exitOverride().parseAsync(args, { from: 'user' });
  return { said, status };
};

test.each([
  [['--type', 'nonsense'], "There is no event type 'nonsense'"],
  [['--resume'], '--resume goes with --output'],
  [['--force'], '--force goes with --output'],
  [['--force', '--resume', '--output', 'x'], 'not both'],
  [['--after', '1.0.', '--output', 'x'], '--after goes with the standard output'],
  [['--after', 'somewhere'], '--after takes the word'],
  [['--token', 'x'], '--token goes with --url'],
  [['--url', 'ftp://x'], '--url takes the address of a gateway'],
  [['--url', 'http://me:secret@127.0.0.1:1'], 'takes no user name'],
  [['--url', 'http://127.0.0.1:1'], 'set FLAGGRAPH_TOKEN'],
  [['--url', 'http://127.0.0.1:1', '--token', 'two\nlines'], 'characters that no token has'],
  [['--output', ''], '--output takes the name of a file'],
  [['--output', '/'], '/ is a folder'],
  [[], 'There is no embedded database in /nowhere/at/all'],
])('export refuses %j with a sentence', async (args, sentence) => {
  const { said, status } = await run(exportCommand, args);
  expect(status).toBe(1);
  expect(said).toMatch(/^error: .*\n$/);
  expect(said).toContain(sentence);
  expect(said).not.toContain('secret');
});

test.each([
  [[], 'There is nothing to follow'],
  [['--last', '3', '--after', 'x'], '--after or --last, not both'],
  [['--after', 'no cursor'], '--after takes a cursor'],
  [['--url', 'http://127.0.0.1:1'], 'set FLAGGRAPH_TOKEN'],
  [['--url', 'http://127.0.0.1:1', '--from', 'now'], "'now' is neither"],
])('tail refuses %j with a sentence', async (args, sentence) => {
  const { said, status } = await run(tailCommand, args);
  expect(status).toBe(1);
  expect(said).toMatch(/^error: .*\n$/);
  expect(said).toContain(sentence);
});

test('the word of a place leads back to it', () => {
  for (const place of [
    { upTo: 4711, count: 12, cursor: 'MTpB-_Nk' },
    { upTo: 0, count: 0, cursor: null },
  ]) {
    expect(readPlace(placeText(place))).toEqual(place);
  }
});

test('the end of an export and a filter of ids both hold', () => {
  expect(upTo({}, 10)).toEqual({ id: { to: 11 } });
  expect(upTo({ id: { from: 3, to: 5 }, text: 'x' }, 10)).toEqual({
    id: { from: 3, to: 5 },
    text: 'x',
  });
  expect(upTo({ id: { to: 50 } }, 10)).toEqual({ id: { to: 11 } });
  expect(upTo({ id: { to: null } }, 10)).toEqual({ id: { to: 11 } });
  expect(upTo({ id: { from: 3 } }, 2 ** 31 - 1)).toEqual({ id: { from: 3 } });
});

test('pages grow by steps, and become small where events are large', () => {
  expect(nextPageSize(100, { count: 100, bytes: 10_000 })).toBe(200);
  expect(nextPageSize(800, { count: 800, bytes: 80_000 })).toBe(1_000);
  expect(nextPageSize(800, { count: 800, bytes: 80_000_000 })).toBeLessThan(10);
  expect(nextPageSize(2, { count: 2, bytes: 80_000_000 })).toBe(1);
});
