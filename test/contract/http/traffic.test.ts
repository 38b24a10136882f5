import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway } from '../../testkit/app.js';

const VIEWER = '{ viewer { name } }';
const PAGE = '{ events(first: 1000) { nodes { id data preData } } }';

/** All data received over a new connection, until the server closes it. */
const exchange = (url: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let response = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      response += chunk;
    });
    // A reset may follow the response.
    socket.on('close', () => resolve(response)).on('error', (error) => response || reject(error));
  });

describeWithDemo('requests', ({ gateway, database, withGateway, kind }) => {
  test('are limited by cost points per caller', async () => {
    await withGateway(
      { RATE_LIMIT_POINTS: '20000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const expensive = '{ events(first: 1000) { nodes { id type createdAt label } } }';
        const responses = [];
        for (let index = 0; index < 8; index++) {
          responses.push(await limited.graphql(expensive, { index }));
        }
        const [first, last] = [responses[0], responses.at(-1)];
        expect(first?.status).toBe(200);
        expect(first?.headers.get('ratelimit-policy')).toBe('"points";q=20000;w=60');
        expect(first?.headers.get('ratelimit')).toMatch(/^"points";r=\d+;t=\d+$/);
        expect([last?.status, last?.errors?.[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
        expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);

        const rest = await limited.rest('/api/admin/search/events?limit=1000');
        expect([rest.status, rest.body.name]).toEqual([429, 'RateLimitError']);
        expect(Object.keys(rest.body)).toEqual(['id', 'name', 'message', 'details']);
        expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0);

        const other = await limited.graphql(expensive, {}, { token: DEMO_TOKENS.viewer });
        expect(other.status).toBe(200);
        const metrics = await limited.rest('/metrics', { token: null });
        expect(metrics.text).toMatch(/^flaggraph_rate_limited_total\{limit="points"\} [1-9]/m);
      },
    );
  });

  test('are limited when they make the gateway validate many documents', async () => {
    await withGateway(
      { RATE_LIMIT_POINTS: '100000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const runQuery = (name: string) =>
          limited.graphql(`query ${name} { viewer { ${'nothing '.repeat(3_000)} } }`);
        const statuses = [];
        for (const name of ['A', 'B', 'C', 'D', 'E']) statuses.push((await runQuery(name)).status);
        expect(statuses).toEqual([400, 400, 400, 429, 429]);
      },
    );
  });

  test('are limited when they make the gateway parse invalid documents', async () => {
    await withGateway(
      { RATE_LIMIT_POINTS: '100000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const runQuery = (name: string) => limited.graphql(`query ${name} { ${'a '.repeat(6_000)}`);
        const statuses = [];
        for (const name of ['A', 'B', 'C', 'D', 'E']) statuses.push((await runQuery(name)).status);
        expect(statuses).toEqual([400, 400, 400, 429, 429]);
      },
    );
  });

  test('are limited when they request the schema, also next to data', async () => {
    await withGateway(
      { RATE_LIMIT_POINTS: '50000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const runQuery = (fields: string) =>
          limited.graphql(`{ ${fields} __schema { types { name } } }`);
        const statuses = [];
        for (const fields of ['', 'viewer { name }', 'viewer { kind }']) {
          statuses.push((await runQuery(fields)).status);
        }
        expect(statuses).toEqual([200, 200, 429]);
      },
    );
  });

  test('take 100 points for each list after the first one', async () => {
    await withGateway(
      // Few enough that none are returned between two requests.
      { RATE_LIMIT_POINTS: '20000', RATE_LIMIT_WINDOW_MS: '3600000' },
      async (limited) => {
        const pointsOf = async (lists: number) => {
          const names = Array.from(
            { length: lists },
            (_, index) => `a${index}: projects(first: 1)`,
          );
          const query = `{ ${names.map((name) => `${name} { nodes { id } }`).join(' ')} }`;
          const remaining = async () => {
            const { headers } = await limited.graphql(query);
            return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
          };
          // The first time, the document is charged too.
          await remaining();
          return (await remaining()) - (await remaining());
        };
        const [one, ten] = [await pointsOf(1), await pointsOf(10)];
        expect(one).toBeLessThan(100);
        expect(ten).toBeGreaterThanOrEqual(900);
        expect(ten).toBeLessThan(1_000);
      },
    );
  });

  test('keep their connection when it has valid credentials and hundreds of others are idle', async () => {
    await withGateway({}, async ({ url }) => {
      const sockets: Socket[] = [];
      const open = async (text: string) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
        sockets.push(socket);
        if (text === '') await once(socket.resume(), 'connect');
        else {
          socket.write(text);
          await once(socket.setEncoding('latin1'), 'data');
        }
        return socket;
      };
      const head = 'GET /api/admin/search/events?limit=1 HTTP/1.1\r\nHost: localhost\r\n';
      const known = await open(`${head}Authorization: ${DEMO_TOKENS.viewer}\r\n\r\n`);
      const unknown = await open(`${head}\r\n`);
      for (let count = 0; count < 500; count += 1) await open('');
      await expect.poll(() => unknown.closed).toBe(true);
      expect(known.closed).toBe(false);
      for (const socket of sockets) socket.destroy();
    });
  });

  test('are rejected when their body has too many chunks, and their connection is closed', async () => {
    const head =
      'POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const startedAt = performance.now();
    const response = await exchange(gateway().url, head + '1\r\n \r\n'.repeat(100_000));
    expect(response).toMatch(/^HTTP\/1.1 400 .*more than 4000 chunks/s);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  test.each([
    ['its cost', {}],
    ['its variables', { first: 'many' }],
  ])('are limited when an operation is rejected for %s', async (_reason, variables) => {
    const query =
      'query($first: Int = 1000) { events(first: $first) { nodes { feature { events(first: 1000) { nodes { id } } } } } }';
    // Yoga handles the second.
    const variants = [
      {},
      { headers: { accept: 'application/graphql-response+json, application/json' } },
    ];
    await withGateway(
      { RATE_LIMIT_POINTS: '10000', RATE_LIMIT_WINDOW_MS: '60000' },
      async (limited) => {
        const statuses = [];
        for (let index = 0; index < 12; index += 1) {
          const variant = variants[index % variants.length];
          statuses.push((await limited.graphql(query, variables, variant)).status);
        }
        expect([statuses[0], statuses[1], statuses.at(-1)]).toEqual([400, 400, 429]);
      },
    );
  });

  test('are not limited when the limit is 0', async () => {
    await withGateway({ RATE_LIMIT_POINTS: '0' }, async (free) => {
      const { status, headers } = await free.graphql(VIEWER);
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    });
  });

  test('are rejected for addresses with too many invalid tokens, except with a valid one', async () => {
    await withGateway({ AUTH_FAILURES_PER_MINUTE: '3' }, async (guarded) => {
      const path = '/api/admin/search/events?limit=1';
      expect((await guarded.rest(path)).status).toBe(200);
      const statuses = [];
      for (const guess of ['1', '2', '3', '4', '5']) {
        statuses.push((await guarded.rest(path, { token: `*:*.${guess}` })).status);
      }
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
      expect((await guarded.rest(path)).status).toBe(200);
      expect((await guarded.rest(path, { token: null })).status).toBe(401);
      const { text } = await guarded.rest('/metrics', { token: null });
      expect(text).toMatch(/^flaggraph_auth_failures_total\{reason="unknown_token"\} 3/m);
      expect(text).toMatch(/^flaggraph_auth_failures_total\{reason="rate_limited"\} 2/m);
      expect(text).toMatch(/^flaggraph_auth_failures_total\{reason="no_credentials"\} 1/m);
    });
  });

  test('are rejected when the response is too large, with the cause', async () => {
    await withGateway({ MAX_ANSWER_BYTES: '1048576' }, async (small) => {
      const aliases = Array.from({ length: 20 }, (_, index) => `a${index}: ${PAGE.slice(1, -1)}`);
      const { status, errors } = await small.graphql(`{ ${aliases.join(' ')} }`);
      expect([status, errors?.[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      expect(errors?.[0].message).toMatch(/more than 1048576 bytes/);
      expect((await small.graphql(VIEWER)).status).toBe(200);
      expect(small.log.join('')).not.toContain('"level":50');
    });
  });

  test('are rejected when the response repeats data that was read once', async () => {
    await withGateway({ MAX_ANSWER_BYTES: '1048576' }, async (small) => {
      const { status, errors } = await small.graphql(
        '{ events(first: 900) { nodes { project { events(first: 90) { nodes { data } } } } } }',
      );
      expect([status, errors?.[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    });
  });

  test('are rejected before many asynchronous fields exhaust the memory', async () => {
    await withGateway({ MAX_ANSWER_BYTES: '1048576' }, async (small) => {
      const readFeatures = (count: number) => {
        const fields = Array.from({ length: count }, (_, index) => `f${index}: lastSeenAt`);
        return small.graphql(`{ features(first: 50) { nodes { name ${fields.join(' ')} } } }`);
      };
      expect((await readFeatures(5)).status).toBe(200);
      const { status, errors, data } = await readFeatures(10);
      expect([status, errors?.length, data]).toEqual([413, 1, undefined]);
      expect(errors?.[0]).toMatchObject({ extensions: { code: 'PAYLOAD_TOO_LARGE' } });
    });
  });

  test('are rejected when large responses exceed the bytes in flight, unlike small ones', async () => {
    await withGateway(
      { MAX_BYTES_IN_FLIGHT: '1048576', MAX_ANSWER_BYTES: '1048576' },
      async (full) => {
        const runQuery = (index: number) =>
          full.graphql(
            `query Q${index} { ${PAGE.slice(1, -1)} }`,
            {},
            { token: DEMO_TOKENS.admin },
          );
        const responses = await Promise.all(
          Array.from({ length: 8 }, (_, index) => runQuery(index)),
        );
        const rejected = responses.filter(({ status }) => status === 503);
        for (const { errors, headers } of rejected) {
          expect(errors?.[0].extensions.code).toBe('OVERLOADED');
          expect(headers.get('retry-after')).toBe('1');
        }
        expect(responses.every(({ status }) => [200, 413, 503].includes(status))).toBe(true);
        expect((await full.graphql(VIEWER)).status).toBe(200);
        // The bytes in flight are released.
        await expect.poll(async () => (await full.graphql(VIEWER)).status).toBe(200);
      },
    );
  });

  test('with valid credentials are served while bodies of unknown clients use up their memory', async () => {
    await withGateway(
      { MAX_BYTES_IN_FLIGHT: '1048576', MAX_ANSWER_BYTES: '1048576' },
      async (full) => {
        const port = Number(new URL(full.url).port);
        const headOf = (length: number) =>
          `POST /api/admin/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`;
        const sockets: Socket[] = [];
        const outcomes: unknown[] = [];
        // An eighth, up to the last bytes.
        for (const length of [100_000, 31_000, 50, 1_000]) {
          const socket = connect(port, '127.0.0.1', () => socket.write(headOf(length)));
          sockets.push(socket.setEncoding('latin1'));
          const status = once(socket, 'data').then(([text]) => String(text).slice(9, 12));
          outcomes.push(await Promise.race([status, delay(300, 'open')]));
        }
        expect(outcomes).toEqual(['open', 'open', 'open', '503']);

        // These share the lookup of credentials that were not used before.
        const queries = Array.from(
          { length: 8 },
          (_, index) => `query Q${index} { viewer { name } }`,
        );
        const responses = await Promise.all(queries.map((query) => full.graphql(query)));
        expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
        const clone = '/api/admin/projects/default/features/ghost/clone';
        // Larger than what is left for unknown clients, with credentials that were not used before.
        const body = { name: 'x', filler: 'y'.repeat(60_000) };
        expect((await full.rest(clone, { body, token: DEMO_TOKENS.viewer })).status).toBe(403);
        expect((await full.rest('/metrics', { token: null })).status).toBe(200);
        for (const socket of sockets) socket.destroy();
      },
    );
  });

  test('without known credentials are limited per address, also while their bodies do not arrive', async () => {
    await withGateway({ TRUSTED_PROXIES: '1' }, async (limited) => {
      const port = Number(new URL(limited.url).port);
      const path = '/api/admin/search/events?limit=1';
      const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
      const [crowded, other] = [from('192.0.2.1'), from('192.0.2.2')];
      const unfinished =
        'POST /api/admin/x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
      expect((await limited.rest(path, { ...crowded, token: DEMO_TOKENS.viewer })).status).toBe(
        200,
      );

      const sockets = Array.from({ length: 200 }, () =>
        connect(port, '127.0.0.1', function (this: Socket) {
          this.write(unfinished);
        }),
      );
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      const isRejected = async () =>
        (await limited.rest('/metrics', { ...crowded, token: null })).status === 429;
      await expect.poll(isRejected).toBe(true);
      expect(await exchange(limited.url, unfinished)).toMatch(/^HTTP\/1.1 429 .*RateLimitError/s);
      const rest = await limited.rest(path, { ...crowded, token: null });
      expect([rest.status, rest.body.name]).toEqual([429, 'RateLimitError']);
      expect(Object.keys(rest.body)).toEqual(['id', 'name', 'message', 'details']);
      expect(rest.headers.get('retry-after')).toBe('1');
      const graphql = await limited.graphql(VIEWER, {}, { ...crowded, token: null });
      expect([graphql.status, graphql.errors?.[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
      const exported = await limited.rest('/export/events.csv', { ...crowded, token: null });
      expect([exported.status, exported.body.name]).toEqual([429, 'RateLimitError']);

      expect((await limited.rest('/livez', { ...crowded, token: null })).status).toBe(200);
      expect((await limited.rest(path, { ...crowded, token: DEMO_TOKENS.viewer })).status).toBe(
        200,
      );
      // Valid, but not used before.
      expect((await limited.rest(path, { ...other, token: DEMO_TOKENS.admin })).status).toBe(200);
      expect((await limited.rest(path, { ...crowded, token: DEMO_TOKENS.editor })).status).toBe(
        200,
      );

      for (const socket of sockets) socket.destroy();
      await expect.poll(isRejected, { timeout: 10_000 }).toBe(false);
    });
  });

  test('whose client has disconnected get no response', async () => {
    const written = vi.spyOn(ServerResponse.prototype, 'writeHead');
    const send = (requestId: string, length: number) => {
      const body = JSON.stringify({ query: VIEWER });
      const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const socket = connect(Number(new URL(gateway().url).port), '127.0.0.1');
      socket.write(head + body);
      return socket;
    };
    const { length } = JSON.stringify({ query: VIEWER });
    const hasLogged = (requestId: string) => gateway().log.some((line) => line.includes(requestId));
    try {
      const [complete, incomplete] = [send('complete-request', length), send('gone', length + 10)];
      await expect.poll(() => hasLogged('complete-request')).toBe(true);
      await delay(100);
      incomplete.destroy();
      await expect.poll(() => hasLogged('gone')).toBe(true);
      await delay(100);
      complete.destroy();
      const sentTo = written.mock.contexts.map((response) =>
        String((response as ServerResponse).req.headers['x-request-id']),
      );
      expect(sentTo).toContain('complete-request');
      expect(sentTo).not.toContain('gone');
    } finally {
      written.mockRestore();
    }
  });

  test('for a query as an event stream get a whole response, which counts as bytes in flight', async () => {
    const accept = { headers: { accept: 'text/event-stream' } };
    const send = (started: Gateway, query: string) =>
      fetch(`${started.url}/graphql`, {
        method: 'POST',
        headers: {
          ...accept.headers,
          'content-type': 'application/json',
          authorization: DEMO_TOKENS.admin,
        },
        body: JSON.stringify({ query }),
      });
    const response = await send(gateway(), VIEWER);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('content-encoding')).toBeNull();
    const body = await response.text();
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(body).toMatch(/event: next\ndata: \{"data".*event: complete/s);

    await withGateway(
      { MAX_BYTES_IN_FLIGHT: '1048576', MAX_ANSWER_BYTES: '1048576' },
      async (full) => {
        const aliases = Array.from({ length: 3 }, (_, index) => `a${index}: ${PAGE.slice(1, -1)}`);
        const rejected = await send(full, `{ ${aliases.join(' ')} }`);
        expect(await rejected.text()).toContain('"code":"PAYLOAD_TOO_LARGE"');
      },
    );
  });

  describe('get responses with one framing', () => {
    const post = (headers: string, body = JSON.stringify({ query: VIEWER })) =>
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${DEMO_TOKENS.admin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
    const get = (path: string, headers = '', method = 'GET') =>
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${DEMO_TOKENS.admin}\r\n${headers}\r\n`;
    const SEARCH = '/api/admin/search/events?limit=50';
    const EVENTS = JSON.stringify({ query: '{ events(first: 1000) { nodes { id data } } }' });

    test.each([
      ['JSON', post('')],
      ['multipart beside JSON', post('Accept: multipart/mixed, application/json\r\n')],
      ['multipart', post('Accept: multipart/mixed\r\n')],
      ['multipart that is incremental', post('Accept: multipart/mixed;deferSpec=20220824\r\n')],
      ['server-sent events', post('Accept: text/event-stream\r\n')],
      ['an error', post('', '{')],
      ['a large answer, compressed', post('Accept-Encoding: br\r\n', EVENTS)],
      ['a large answer, zipped', post('Accept-Encoding: gzip\r\n', EVENTS)],
      ['REST', get(SEARCH)],
      ['REST, compressed', get(SEARCH, 'Accept-Encoding: gzip\r\n')],
      ['HEAD', get(SEARCH, '', 'HEAD')],
      ['a 304', get(SEARCH, 'If-None-Match: *\r\n')],
      ['a 404', get('/nowhere')],
      [
        'a preflight',
        get('/graphql', 'Origin: http://a\r\nAccess-Control-Request-Method: POST\r\n', 'OPTIONS'),
      ],
    ])('%s', async (_title, request) => {
      const response = await exchange(gateway().url, request);
      const [head = ''] = response.split('\r\n\r\n');
      const framings = head.match(/^(content-length|transfer-encoding):/gim) ?? [];
      const hasNoBody = /^HTTP\/1.1 (204|304)/.test(head);
      expect(framings.length).toBeLessThanOrEqual(hasNoBody ? 0 : 1);
      if (!hasNoBody && !request.startsWith('HEAD')) {
        const [, length] = /^content-length: (\d+)/im.exec(head) ?? [];
        const body = response.slice(head.length + 4);
        if (length !== undefined) expect(body.length).toBe(Number(length));
        else expect(framings.length === 0 || body.endsWith('0\r\n\r\n')).toBe(true);
      }
    });

    test('and 406 when no type is acceptable', async () => {
      for (const accept of ['multipart/mixed', 'image/png', 'text/event-streams, text/html']) {
        const { status, errors } = await gateway().graphql(VIEWER, {}, { headers: { accept } });
        expect([status, errors?.[0].extensions.code]).toEqual([406, 'BAD_USER_INPUT']);
      }
    });
  });

  test('are logged with actor, operation and cost, and never with a secret', async () => {
    await withGateway({}, async (logged) => {
      await logged.graphql('query Names { projects { nodes { id } totalCount } }');
      await logged.graphql('{ viewer', {}, { token: DEMO_TOKENS.viewer });
      await logged.rest('/api/admin/search/events', { token: 'garbage-token' });
      await logged.rest('/api/admin/search/events?limit=1');
      await expect.poll(() => logged.log.length).toBe(4);
      const [names, broken, unknown, search] = logged.log.map((line) => JSON.parse(line));
      expect(names).toMatchObject({
        ip: '127.0.0.1',
        actor: { kind: 'ADMIN_TOKEN', userId: -42, token: expect.any(String) },
        operation: 'Names',
        operationType: 'query',
        documentHash: expect.stringMatching(/^[\w-]{43}$/),
        cost: 121,
        statements: expect.any(Number),
        status: 200,
      });
      expect(broken).toMatchObject({
        actor: { kind: 'USER' },
        errorCode: 'GRAPHQL_PARSE_FAILED',
        status: 400,
      });
      expect(unknown).toMatchObject({ errorCode: 'AuthenticationRequired', status: 401 });
      expect(unknown).not.toHaveProperty('actor');
      expect(search.cost).toBe(35);
      for (const secret of [DEMO_TOKENS.admin, DEMO_TOKENS.viewer, 'garbage-token']) {
        expect(logged.log.join('')).not.toContain(secret);
      }
    });
  });

  test('are logged with the name of a personal token', async () => {
    const { client } = database();
    const { userId } = await client.personalAccessToken.findFirstOrThrow({
      where: { secret: DEMO_TOKENS.viewer },
    });
    const secret = 'user:0123456789abcdef';
    const description = `deploy\u001b[2J ${'x'.repeat(200)}`;
    const expiresAt = new Date(Date.now() + 3_600_000);
    await client.personalAccessToken.create({ data: { secret, userId, expiresAt, description } });
    await withGateway({}, async (logged) => {
      await logged.rest('/api/admin/search/events?limit=1', { token: secret });
      await logged.rest('/api/admin/search/events?limit=1', { token: DEMO_TOKENS.viewer });
      await expect.poll(() => logged.log.length).toBe(2);
      const [long, short] = logged.log.map((line) => JSON.parse(line).actor);
      expect(long).toEqual({ kind: 'USER', userId, token: description.slice(0, 100) });
      expect(short).toEqual({ kind: 'USER', userId, token: 'demo viewer' });
      expect(logged.log.join('')).not.toContain('\u001b');
      expect(logged.log.join('')).not.toContain(secret);
    });
    await client.personalAccessToken.deleteMany({ where: { secret } });
  });

  test('cost the same for a total, whatever the page size', async () => {
    const cost = async (query: string) => {
      const { body } = await gateway().rest('/graphql', {
        body: { query },
        headers: { 'x-graphql-cost': 'true' },
      });
      return body.extensions.cost.cost;
    };
    const { data } = await gateway().graphql(
      '{ projects(first: 1000) { nodes { features { totalCount } } } }',
    );
    expect(data.projects.nodes.length).toBeGreaterThan(1);
    const [small, large] = [
      await cost('{ events(first: 1) { totalCount } }'),
      await cost('{ events(first: 1000) { totalCount } }'),
    ];
    expect(small).toBe(large);
    expect(await cost('{ features(filter: { text: "a" }) { nodes { name } } }')).toBeGreaterThan(
      await cost('{ features { nodes { name } } }'),
    );
  });

  test('for subscriptions cost points by events and filter', async () => {
    const follow = (query: string, variables = {}) =>
      gateway().rest('/graphql', {
        body: { query, variables },
        headers: { accept: 'text/event-stream' },
      });
    const heavy =
      'subscription { events { node { project { features(first: 1000) { nodes { name } } } } } }';
    const texts = { or: Array.from({ length: 20 }, (_, index) => ({ text: `t${index}` })) };
    const filtered = 'subscription ($f: EventFilter) { events(filter: $f) { cursor } }';
    for (const response of [await follow(heavy), await follow(filtered, { f: texts })]) {
      expect(response.status).toBe(400);
      expect(response.text).toContain('LIMIT_EXCEEDED');
    }
  });

  test.runIf(kind === 'postgres')(
    'that time out send no further statement, and log no error',
    async () => {
      await withGateway({ REQUEST_TIMEOUT_MS: '300' }, async (slow) => {
        const client = database().client;
        const blocking = client.$transaction(
          async (tx) => {
            await tx.$executeRawUnsafe('lock table features in access exclusive mode');
            await delay(1_000);
          },
          { timeout: 10_000 },
        );
        await delay(100);
        const clones = Array.from(
          { length: 20 },
          (_, i) =>
            `c${i}: cloneFeature(input: { featureName: "welcome-tour", newName: "late-${i}" }) { __typename }`,
        );
        const { status, errors } = await slow.graphql(`mutation { ${clones.join(' ')} }`);
        expect([status, errors?.[0].extensions.code]).toEqual([504, 'TIMEOUT']);
        await blocking;
        await delay(1_000);
        const created = await client.feature.count({ where: { name: { startsWith: 'late-' } } });
        expect(created).toBeLessThanOrEqual(1);
        expect(slow.log.join('')).not.toContain('"level":50');
      });
    },
  );
});
