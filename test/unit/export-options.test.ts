import { describe, expect, test } from 'vitest';
import { formatPosition, parsePosition } from '../../src/cli/export/export-position.js';
import { createRowSplitter } from '../../src/cli/export/split-rows.js';
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
    { upTo: 4711, count: 12, after: 4700 },
    { upTo: 7, count: 0, after: 0 },
    { upTo: 0, count: 0, after: null },
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

describe('rows of an export', () => {
  const readAll = (format: 'ndjson' | 'csv', text: string, size: number) => {
    const splitter = createRowSplitter(format);
    const bytes = Buffer.from(text);
    const parts = [];
    for (let start = 0; start < bytes.length; start += size) {
      const rows = splitter.add(bytes.subarray(start, start + size));
      if (rows) parts.push(rows);
    }
    return { parts, hasRest: splitter.hasRest() };
  };
  const NDJSON = '{"id":1,"label":"ä\\n"}\n{"id":23,"data":{"id":7}}\n';
  const CSV = 'id,label\r\n1,"a\r\n9,""b"""\r\n23,ü\r\n';

  test.each([1, 2, 3, 7, 1_000])('are whole, in chunks of %i bytes', (size) => {
    for (const [format, text] of [
      ['ndjson', NDJSON],
      ['csv', CSV],
    ] as const) {
      const { parts, hasRest } = readAll(format, text, size);
      expect(Buffer.concat(parts.map(({ bytes }) => bytes)).toString()).toBe(text);
      expect(parts.reduce((sum, { events }) => sum + events, 0)).toBe(2);
      expect(parts.at(-1)?.lastId).toBe(23);
      expect(hasRest).toBe(false);
    }
  });

  test('exclude an incomplete one at the end', () => {
    const { parts, hasRest } = readAll('csv', CSV.slice(0, -2), 1_000);
    expect(parts.map(({ lastId }) => lastId)).toEqual([1]);
    expect(hasRest).toBe(true);
  });

  test('do not count the header of a table as an event', () => {
    expect(createRowSplitter('csv').add(Buffer.from('id,label\r\n'))).toMatchObject({
      events: 0,
      lastId: null,
    });
  });
});
