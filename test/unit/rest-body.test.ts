import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createByteBudget, ResponseBudgetError } from '../../src/data/work/byte-budget.js';
import { createWork, endWork, runAs, type Work } from '../../src/data/work/work.js';
import type { CallFacts } from '../../src/http/call.js';
import { MAX_BODY_BYTES, readBody } from '../../src/rest/body.js';

const call = { facts: {}, recordBody: () => undefined, throttle: () => undefined };

const read = (body: string | Buffer, headers: IncomingHttpHeaders = {}) =>
  readBody({
    headers: { 'content-type': 'application/json', ...headers },
    stream: Readable.from(body.length === 0 ? [] : [Buffer.from(body)]),
    call,
  });

const readValue = async (...args: Parameters<typeof read>) => (await read(...args)).value;

const jsonOfSize = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes - 11) });

test('a body whose client has left waits for no turn and counts for no client', async () => {
  const stream = new Readable({ read: () => undefined });
  const calls: string[] = [];
  const reading = readBody({
    headers: { 'content-type': 'application/json' },
    stream,
    call: {
      facts: {},
      recordBody: () => calls.push('recordBody'),
      throttle: async () => {
        calls.push('throttle');
      },
    },
  });
  stream.push('{');
  stream.destroy(new Error('aborted'));
  await expect(reading).rejects.toMatchObject({ name: 'BadDataError' });
  expect(calls).toEqual([]);
});

describe('the turn of a body', () => {
  const begin = (body: string, facts: CallFacts) => {
    let start = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      start = resolve;
    });
    const reading = readBody({
      headers: { 'content-type': 'application/json' },
      stream: Readable.from([Buffer.from(body)]),
      call: { facts, recordBody: () => undefined, throttle: () => turn },
    });
    return { start, outcome: Promise.allSettled([reading]).then(([{ status }]) => status) };
  };

  test.each([
    ['{}', 'fulfilled'],
    ['{', 'rejected'],
  ])('is waited for before %s of an unknown client is parsed', async (body, status) => {
    const { start, outcome } = begin(body, {});
    expect(await Promise.race([outcome, delay(50, 'waiting')])).toBe('waiting');
    start();
    expect(await outcome).toBe(status);
  });

  test('is not waited for if the body is small and its client is known', async () => {
    expect(await begin('{}', { actor: { kind: 'USER', userId: 1 } }).outcome).toBe('fulfilled');
  });
});

describe('the body size', () => {
  test('may be exactly the limit', async () => {
    const body = jsonOfSize(MAX_BODY_BYTES);
    expect(Buffer.byteLength(body)).toBe(102_400);
    await expect(read(body)).resolves.toBeDefined();
    await expect(read(gzipSync(body), { 'content-encoding': 'gzip' })).resolves.toBeDefined();
    const uncompressed = gzipSync(body, { level: 0 });
    await expect(read(uncompressed, { 'content-encoding': 'gzip' })).resolves.toBeDefined();
  });

  test('may not exceed the limit by one byte, compressed or not', async () => {
    const body = jsonOfSize(MAX_BODY_BYTES + 1);
    const error = { name: 'PayloadTooLargeError' };
    await expect(read(body)).rejects.toMatchObject(error);
    await expect(read(gzipSync(body), { 'content-encoding': 'gzip' })).rejects.toMatchObject(error);
    await expect(read(deflateSync(body), { 'content-encoding': 'deflate' })).rejects.toMatchObject(
      error,
    );
  });

  test('is checked after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(MAX_BODY_BYTES);
    await expect(read(bomb, { 'content-encoding': 'gzip' })).rejects.toMatchObject({
      name: 'PayloadTooLargeError',
    });
  });

  test('is checked against Content-Length before anything is read', async () => {
    const stream = new Readable({ read() {} });
    const headers = { 'content-type': 'application/json', 'content-length': '102401' };
    const reading = readBody({
      headers,
      stream,
      call,
    });
    await expect(reading).rejects.toMatchObject({ name: 'PayloadTooLargeError' });
  });

  test('is counted as bytes in flight before the body arrives', async () => {
    const budget = createByteBudget({ max: 1_048_576, maxPerWork: 1_048_576 });
    const works = Array.from({ length: 11 }, () => createWork(undefined, { budget, owner: 'one' }));
    const headers = { 'content-type': 'application/json', 'content-length': '100000' };
    const begin = (work: Work) =>
      runAs(work, () => readBody({ headers, stream: new Readable({ read() {} }), call }));
    const [last, ...others] = works;
    for (const work of others) void begin(work);
    expect(budget.inFlight()).toBe(1_000_000);
    await expect(begin(last as Work)).rejects.toThrow(ResponseBudgetError);
    for (const work of works) endWork(work);
    expect(budget.inFlight()).toBe(0);
  });

  test('is not checked when the body is not read', async () => {
    const body = 'x'.repeat(MAX_BODY_BYTES + 1);
    expect(await readValue(body, { 'content-type': 'text/plain' })).toEqual({});
  });
});

describe('the shape of the body', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const list = (values: number, value: string) =>
    `[${Array.from({ length: values }, () => value).join()}]`;

  test.each([
    ['levels', nested(100)],
    ['objects', list(4_999, '{}')],
    ['numbers', list(5_001, '1')],
    ['brackets in a text', JSON.stringify('[{,'.repeat(20_000))],
  ])('may have many %s', async (_what, body) => {
    expect(await readValue(body)).toEqual(JSON.parse(body));
  });

  test.each([
    ['levels', nested(101)],
    ['objects', list(5_000, '{}')],
    ['numbers', list(5_002, '1')],
  ])('may not have more %s than its limit', async (_what, body) => {
    const error = { name: 'BadDataError', details: [{ path: '/body' }] };
    await expect(read(body)).rejects.toMatchObject(error);
    const compressed = read(gzipSync(body), { 'content-encoding': 'gzip' });
    await expect(compressed).rejects.toMatchObject(error);
  });
});

describe('the content type', () => {
  test.each(['application/json', 'Application/JSON', 'application/json; charset=UTF-8; x=y'])(
    '%s is parsed as JSON',
    async (contentType) => {
      expect(await readValue('{"a":1}', { 'content-type': contentType })).toEqual({ a: 1 });
    },
  );

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    '%s leaves the body unread',
    async (contentType) => {
      expect(await readValue('{"a":1}', { 'content-type': contentType })).toEqual({});
    },
  );

  test.each(['latin1', 'iso-8859-1', 'utf8', 'utf-7'])('rejects charset %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset="${charset}"` };
    await expect(read('{}', headers)).rejects.toMatchObject({ name: 'ContentTypeerror' });
    expect(await readValue('', headers)).toEqual({});
  });

  test('allows UTF-16 in either byte order', async () => {
    const little = Buffer.from('{"a":"é"}', 'utf16le');
    const big = Buffer.from(little).swap16();
    const utf16 = { 'content-type': 'application/json; charset=utf-16' };
    expect(await readValue(little, utf16)).toEqual({ a: 'é' });
    expect(await readValue(big, utf16)).toEqual({ a: 'é' });
    expect(await readValue(Buffer.concat([Buffer.of(0xfe, 0xff), big]), utf16)).toEqual({ a: 'é' });
    expect(await readValue(Buffer.concat([Buffer.of(0xff, 0xfe), little]), utf16)).toEqual({
      a: 'é',
    });
  });
});

describe('the content encoding', () => {
  test('may be gzip or deflate, in any letter case', async () => {
    expect(await readValue(gzipSync('{"a":1}'), { 'content-encoding': 'GZIP' })).toEqual({ a: 1 });
    expect(await readValue(deflateSync('{"a":1}'), { 'content-encoding': 'deflate' })).toEqual({
      a: 1,
    });
  });

  test('may not be brotli or anything else', async () => {
    const error = { name: 'ContentTypeerror' };
    const brotli = brotliCompressSync('{}');
    await expect(read(brotli, { 'content-encoding': 'br' })).rejects.toMatchObject(error);
    await expect(read('{}', { 'content-encoding': 'gzip, gzip' })).rejects.toMatchObject(error);
  });

  test('must match the body', async () => {
    const error = { name: 'BadDataError' };
    await expect(read('{}', { 'content-encoding': 'gzip' })).rejects.toMatchObject(error);
    const cut = gzipSync('{"a":"bcdefgh"}').subarray(0, 20);
    await expect(read(cut, { 'content-encoding': 'gzip' })).rejects.toMatchObject(error);
  });
});

describe('the JSON text', () => {
  test.each([
    ['', {}],
    ['\ufeff{"a":1}', { a: 1 }],
    ['null', null],
    ['"text"', 'text'],
    ['{"a":1,"a":2}', { a: 2 }],
  ])('%j is parsed as %j', async (text, expected) => {
    expect(await readValue(text)).toEqual(expected);
  });

  test('may contain invalid UTF-8, which becomes the replacement character', async () => {
    expect(await readValue(Buffer.from([0x22, 0xff, 0x22]))).toBe('\ufffd');
  });

  test.each(['{', '{"secret', ' ', '{}x', 'secret'])('%j is rejected', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'BadDataError' });
    await expect(read(text)).rejects.not.toThrow(/secret/);
  });
});

test('returns 400 for a body that ends early', async () => {
  const stream = new Readable({
    read() {
      this.push('{"a"');
      this.destroy(new Error('aborted'));
    },
  });
  const headers = { 'content-type': 'application/json' };
  await expect(readBody({ headers, stream, call })).rejects.toMatchObject({ name: 'BadDataError' });
});

test('keeps the connection usable after rejecting a large body', async () => {
  const server = createServer(async (incoming, outgoing) => {
    const { headers } = incoming;
    const result = await readBody({
      headers,
      stream: incoming,
      call,
    })
      .then(() => 'accepted')
      .catch((error: Error) => error.name);
    outgoing.end(result);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  const post = (chunks: string[]) =>
    new Promise<{ text: string; isReused: boolean }>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers, agent });
      outgoing.on('error', reject);
      outgoing.on('response', async (response) => {
        const text = (await response.setEncoding('utf8').toArray()).join('');
        resolve({ text, isReused: outgoing.reusedSocket });
      });
      for (const chunk of chunks) outgoing.write(chunk);
      outgoing.end();
    });

  try {
    const large = await post(Array.from({ length: 60 }, () => 'x'.repeat(50_000)));
    expect(large.text).toBe('PayloadTooLargeError');
    expect(await post(['{}'])).toEqual({ text: 'accepted', isReused: true });
  } finally {
    agent.destroy();
    server.close();
  }
});
