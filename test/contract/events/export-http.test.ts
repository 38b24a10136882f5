import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway } from '../../testkit/app.js';
import { parseCsv } from '../../testkit/parse-csv.js';
import { rawRequest } from '../../testkit/raw-request.js';

const NDJSON = '/export/events.ndjson';
const CSV = '/export/events.csv';

const linesOf = (text: string) => text.split('\n').slice(0, -1);
const recordsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line));
const idsOf = (text: string): number[] => recordsOf(text).map(({ id }) => id);

/** Reads until the connection closes, however it closes. */
const readUntilClosed = async (response: Response): Promise<{ text: string; isWhole: boolean }> => {
  const chunks: Uint8Array[] = [];
  const textOf = () => Buffer.concat(chunks).toString('utf8');
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { text: textOf(), isWhole: true };
  } catch {
    return { text: textOf(), isWhole: false };
  }
};

describeWithDemo('an export over HTTP', ({ gateway, database }) => {
  const get = (path: string, token: string = DEMO_TOKENS.admin) => gateway().rest(path, { token });
  const storedIds = async (where = {}): Promise<number[]> => {
    const rows = await database().client.event.findMany({ where, orderBy: { id: 'asc' } });
    return rows.map(({ id }) => id);
  };

  test('contains every event once, oldest first, as the graph returns it', async () => {
    const { status, headers, text } = await get(NDJSON);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="events.ndjson"');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toMatch(/Accept\b.*Accept-Encoding/);
    const stored = await storedIds();
    expect(idsOf(text)).toEqual(stored);
    expect(headers.get('export-up-to')).toBe(String(stored.at(-1)));

    const { data } = await gateway().graphql(`{ events(first: 1000) { nodes {
      id createdAt typeName label summary createdBy createdByUserId projectId featureName
      environmentName data preData tags { type value } ip group { type id } } } }`);
    expect(recordsOf(text).slice(-1_000)).toEqual(data.events.nodes.toReversed());
  });

  test('is a table with the same columns as CSV', async () => {
    const { headers, text } = await get(CSV);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [header, ...rows] = parseCsv(text);
    expect(header?.join(' ')).toBe(
      'id createdAt typeName label summary createdBy createdByUserId projectId featureName environmentName data preData tags ip groupType groupId',
    );
    expect(rows.map(([id]) => Number(id))).toEqual(await storedIds());
  });

  test('guards formulas for spreadsheets unless it is requested raw', async () => {
    const { client } = database();
    const data = { type: 'feature-updated', createdBy: '=1+1', projectId: 'default' };
    const { id } = await client.event.create({ data });
    try {
      const guarded = parseCsv((await get(`${CSV}?after=${id - 1}`)).text);
      expect(guarded[0]?.[5]).toBe("'=1+1");
      const raw = parseCsv((await get(`${CSV}?after=${id - 1}&raw=true`)).text);
      expect(raw[0]?.[5]).toBe('=1+1');
    } finally {
      await client.event.delete({ where: { id } });
    }
  });

  test.each<[string, object]>([
    ['project=Web%20shop&type=feature-created', { projectId: 'web-shop', type: 'feature-created' }],
    [
      'project=default&project=mobile&type=feature-created,FEATURE_ARCHIVED',
      {
        projectId: { in: ['default', 'mobile'] },
        type: { in: ['feature-created', 'feature-archived'] },
      },
    ],
    ['feature=checkout-one-page', { featureName: 'checkout-one-page' }],
    ['environment=production', { environment: 'production' }],
    ['created-by=-42', { createdByUserId: -42 }],
    ['created-by=olu', { createdBy: 'olu' }],
    ['filter=%7B%22id%22%3A%7B%22anyOf%22%3A%5B3%2C5%5D%7D%7D', { id: { in: [3, 5] } }],
  ])('contains only what matches %s', async (query, where) => {
    const expected = await storedIds(where);
    expect(expected.length).toBeGreaterThan(0);
    const { status, text } = await get(`${NDJSON}?${query}`);
    expect(status).toBe(200);
    expect(idsOf(text)).toEqual(expected);
  });

  test('is limited by time and text as event search is', async () => {
    const stored = await database().client.event.findMany({ orderBy: { id: 'asc' } });
    const from = stored[Math.floor(stored.length / 2)]?.createdAt?.toISOString() ?? '';
    const { data } = await gateway().graphql(
      `query ($from: DateTime!) {
        events(first: 1000, filter: { text: "rollout", createdAt: { from: $from } }) { nodes { id } }
      }`,
      { from },
    );
    const found = data.events.nodes.map(({ id }: { id: number }) => id).reverse();
    expect(found.length).toBeGreaterThan(0);
    const { text } = await get(`${NDJSON}?text=rollout&from=${from}`);
    expect(idsOf(text)).toEqual(found);
    expect((await get(`${NDJSON}?before=2001-01-01`)).text).toBe('');
  });

  test('is resumed after an ID, and ends with a given one', async () => {
    const full = (await get(NDJSON)).text;
    const table = (await get(CSV)).text;
    const ids = idsOf(full);
    const middle = ids[Math.floor(ids.length / 2)] ?? 0;
    const parts = [`up-to=${middle}`, `after=${middle}`];
    const [first, second] = await Promise.all(parts.map((part) => get(`${NDJSON}?${part}`)));
    expect(first?.headers.get('export-up-to')).toBe(String(middle));
    expect(`${first?.text}${second?.text}`).toBe(full);

    const rows = await Promise.all(parts.map((part) => get(`${CSV}?${part}`)));
    expect(rows.map(({ text }) => text).join('')).toBe(table);
    expect(rows[1]?.headers.get('content-type')).toContain('header=absent');
    expect((await get(`${NDJSON}?after=${ids.at(-1)}`)).text).toBe('');
  });

  test('has no body for HEAD', async () => {
    const { status, headers, text } = await gateway().rest(NDJSON, { method: 'HEAD' });
    expect({ status, text }).toEqual({ status: 200, text: '' });
    expect(Number(headers.get('export-up-to'))).toBeGreaterThan(0);
    const missing = await gateway().rest(`${NDJSON}?project=nope`, { method: 'HEAD' });
    expect(missing.status).toBe(400);
  });

  test.each(['gzip', 'br'] as const)('is compressed with %s', async (encoding) => {
    const headers = { authorization: DEMO_TOKENS.admin, 'accept-encoding': encoding };
    const response = await rawRequest(gateway().url, { path: NDJSON, headers });
    expect(response.headers['content-encoding']).toBe(encoding);
    const decompress = encoding === 'br' ? brotliDecompressSync : gunzipSync;
    const full = (await get(NDJSON)).text;
    expect(decompress(response.body).toString()).toBe(full);
    expect(response.body.length).toBeLessThan(full.length / 2);
  });

  describe('shows only what the caller may see', () => {
    test('in event search', async () => {
      const { text } = await get(NDJSON, DEMO_TOKENS.noRole);
      expect(idsOf(text)).toEqual(await storedIds({ projectId: { not: null } }));
      expect((await storedIds({ projectId: null })).length).toBeGreaterThan(0);
      expect(recordsOf(text).filter(({ ip }) => ip !== null)).toEqual([]);
      const all = recordsOf((await get(NDJSON)).text);
      expect(all.some(({ ip }) => ip !== null)).toBe(true);
    });

    test('and rejects callers without access', async () => {
      const anonymous = await gateway().rest(NDJSON, { token: null });
      expect(anonymous.status).toBe(401);
      expect(anonymous.body).toMatchObject({ name: 'AuthenticationRequired' });
      expect((await get(NDJSON, 'user:unknown')).status).toBe(401);
      const client = await get(NDJSON, DEMO_TOKENS.client);
      expect(client.status).toBe(403);
      expect(client.body).toMatchObject({ name: 'NoAccessError', message: expect.any(String) });
    });
  });

  describe('is rejected', () => {
    test.each([
      ['projct=web-shop', "There is no parameter 'projct'"],
      ['project=', "'project' must not be empty"],
      ['project=web-shp', "No project is called 'web-shp'.*Did you mean 'web-shop'"],
      ['feature=checkout-one-pgae', "Did you mean 'checkout-one-page'"],
      ['environment=prodution', "Did you mean 'production'"],
      ['created-by=99999', 'There are no events by the user 99999'],
      ['created-by=nobody-at-all', "There are no events by 'nobody-at-all'"],
      ['type=nonsense', "There is no event type 'nonsense'"],
      ['category=nonsense', "There is no category 'nonsense'"],
      ['from=yesterday', "'from' must be a timestamp"],
      ['from=1d&from=2d', "'from' can be given once"],
      ['filter=%7B', "'filter' must be an EventFilter"],
      ['filter=%7B%22nope%22%3A1%7D', "'filter' does not match the type EventFilter"],
      ['after=-1', "'after' must be an event ID \\(got '-1'\\)"],
      ['after=99999999999', "'after' must be an event ID"],
      ['after=2000000000', "'after' is beyond the end of the log"],
      ['up-to=2000000000', "'up-to' is beyond the end of the log"],
      ['raw=true', "'raw' applies to CSV only"],
      [Array.from({ length: 51 }, () => 'feature=a').join('&'), 'at most 50 values'],
    ])('for %s', async (query, message) => {
      const { status, body } = await get(`${NDJSON}?${query}`);
      expect(body).toMatchObject({ name: 'BadDataError', id: expect.any(String) });
      expect(body.message).toMatch(new RegExp(message));
      expect(status).toBe(400);
    });

    test('for a filter with many mistakes, of which it reports the first five', async () => {
      const anyOf = Array.from({ length: 500 }, (_, index) => `FEATURE_CREATD_${index}`);
      const filter = encodeURIComponent(JSON.stringify({ type: { anyOf } }));
      const { status, body } = await get(`${NDJSON}?filter=${filter}`);
      expect(status).toBe(400);
      expect(body.message.match(/^ {2}- /gm)).toHaveLength(5);
      expect(body.message).toContain('FEATURE_CREATD_4');
    });

    test('for a filter that is nested too deeply', async () => {
      const filter = `${'{"not":'.repeat(60)}{}${'}'.repeat(60)}`;
      const { status, body } = await get(`${NDJSON}?filter=${encodeURIComponent(filter)}`);
      expect(status).toBe(400);
      expect(body.message).toMatch(/nested 50 levels deep/);
    });

    test('for other paths, methods, media types and HTTP versions', async () => {
      expect((await get('/export/events.xml')).status).toBe(404);
      const posted = await gateway().rest(NDJSON, { method: 'POST', body: {} });
      expect(posted.status).toBe(405);
      expect(posted.headers.get('allow')).toBe('GET, HEAD');
      for (const [path, accept, status] of [
        [NDJSON, 'text/csv', 406],
        [CSV, 'application/json', 406],
        [CSV, 'text/csv;q=0', 406],
        [CSV, 'text/*', 200],
        [NDJSON, 'application/x-ndjson, */*;q=0', 200],
      ] as const) {
        const sent = { method: 'HEAD', headers: { accept } };
        expect((await gateway().rest(path, sent)).status).toBe(status);
      }
      const { hostname, port } = new URL(gateway().url);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${NDJSON} HTTP/1.0\r\nauthorization: ${DEMO_TOKENS.admin}\r\n\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 505 /);
    });
  });

  describe('of a caller with few points', () => {
    /** About 660 events at once, then 66 per second. */
    const SLOW = { RATE_LIMIT_POINTS: '20000', RATE_LIMIT_WINDOW_MS: '20000' };

    const withSlowGateway = async (work: (slow: Gateway) => Promise<void>) => {
      const slow = await startGateway(database(), SLOW);
      try {
        await work(slow);
      } finally {
        await slow.stop();
      }
    };
    const open = (slow: Gateway, path = NDJSON, token: string = DEMO_TOKENS.admin) =>
      fetch(`${slow.url}${path}`, {
        // A client that decompresses may drop what it has not decompressed when the connection closes.
        headers: { authorization: token, 'accept-encoding': 'identity' },
      });

    test('ends after a whole line when the gateway stops, and can be resumed', async () => {
      const full = (await get(NDJSON)).text;
      await withSlowGateway(async (slow) => {
        const response = await open(slow);
        const reading = readUntilClosed(response);
        await delay(1_500);
        slow.app.drain();
        const { text, isWhole } = await reading;
        expect(isWhole).toBe(false);
        expect(text.endsWith('}\n')).toBe(true);
        expect(full.startsWith(text)).toBe(true);
        expect(text.length).toBeLessThan(full.length);
        expect(idsOf(text).length).toBeGreaterThan(100);

        const upTo = response.headers.get('export-up-to');
        const rest = await get(`${NDJSON}?after=${idsOf(text).at(-1)}&up-to=${upTo}`);
        expect(`${text}${rest.text}`).toBe(full);
        expect((await slow.rest(NDJSON)).status).toBe(503);
      });
    });

    test('leaves points for other requests of the caller', async () => {
      await withSlowGateway(async (slow) => {
        const reading = new AbortController();
        const response = await fetch(`${slow.url}${NDJSON}`, {
          headers: { authorization: DEMO_TOKENS.admin },
          signal: reading.signal,
        });
        await response.body?.getReader().read();
        await delay(1_000);
        expect((await slow.graphql('{ viewer { name } }')).status).toBe(200);
        reading.abort();
      });
    });

    test('is limited to two at a time, and frees its slot when the client disconnects', async () => {
      await withSlowGateway(async (slow) => {
        const leaving = new AbortController();
        const headers = { authorization: DEMO_TOKENS.admin };
        const start = () => fetch(`${slow.url}${NDJSON}`, { headers, signal: leaving.signal });
        expect((await start()).status).toBe(200);
        expect((await start()).status).toBe(200);
        const rejected = await slow.rest(NDJSON);
        expect(rejected.status).toBe(429);
        expect(rejected.body).toMatchObject({ name: 'RateLimitError' });
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await open(slow, NDJSON, DEMO_TOKENS.editor)).status).toBe(200);

        leaving.abort();
        await expect
          .poll(async () => (await slow.rest(NDJSON, { method: 'HEAD' })).status)
          .toBe(200);
      });
    });

    test('ends early when the token is revoked', async () => {
      const { client } = database();
      const tokens = await client.personalAccessToken.findMany();
      await withSlowGateway(async (slow) => {
        const reading = readUntilClosed(await open(slow, NDJSON, DEMO_TOKENS.viewer));
        await delay(500);
        const { id, ...rest } = (await client.personalAccessToken.findFirst({
          where: { secret: DEMO_TOKENS.viewer },
        })) ?? { id: -1, ...tokens[0] };
        await client.personalAccessToken.delete({ where: { id } });
        try {
          const { text, isWhole } = await reading;
          expect(isWhole).toBe(false);
          expect(text.endsWith('}\n')).toBe(true);
        } finally {
          await client.personalAccessToken.create({ data: { ...rest, id } as never });
        }
      });
    });
  });
});
