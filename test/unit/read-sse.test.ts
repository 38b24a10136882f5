import { describe, expect, test } from 'vitest';
import { readSse, type SseMessage } from '../../src/cli/tail/read-sse.js';

const STREAM = [
  ': welcome',
  '',
  'event: next',
  'data: {"data":{"name":"Zoë 🎏"}}',
  '',
  ':',
  '',
  'event:next',
  'data: first line',
  'data:second line',
  'data',
  'id: 7',
  'retry: 10',
  'unknown: field',
  '',
  'data:  indented',
  '',
  'event: complete',
  'data:',
  '',
  'event: next',
  'data: never finished',
];

const MESSAGES: SseMessage[] = [
  { event: 'next', data: '{"data":{"name":"Zoë 🎏"}}' },
  { event: 'next', data: 'first line\nsecond line\n' },
  { event: 'message', data: ' indented' },
  { event: 'complete', data: '' },
];

const read = async (...chunks: Uint8Array[]): Promise<SseMessage[]> => {
  async function* bytes() {
    yield* chunks;
  }
  const messages: SseMessage[] = [];
  for await (const message of readSse(bytes())) messages.push(message);
  return messages;
};

describe.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('a stream with %s as line ending', (_name, end) => {
  const bytes = Buffer.from(STREAM.join(end));

  test('yields the same messages wherever it is split in two', async () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await read(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(MESSAGES);
    }
  });

  test('yields the same messages byte by byte, including empty chunks', async () => {
    const single = [...bytes].flatMap((byte) => [Uint8Array.of(byte), new Uint8Array()]);
    expect(await read(...single)).toEqual(MESSAGES);
  });
});

test('a leading byte order mark is ignored', async () => {
  expect(await read(Buffer.from('\ufeffdata: x\n\n'))).toEqual([{ event: 'message', data: 'x' }]);
});

test('a message is available as soon as its empty line arrives', async () => {
  const never = new Promise(() => undefined);
  async function* bytes() {
    yield Buffer.from('event: next\ndata: x\n\n');
    await never;
  }
  expect((await readSse(bytes()).next()).value).toEqual({ event: 'next', data: 'x' });
});
