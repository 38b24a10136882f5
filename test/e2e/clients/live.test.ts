import { EventLogDocument } from '@flaggraph/client/documents';
import {
  followEvents,
  type LiveClient,
  LiveError,
  type LiveSink,
  type LiveStatus,
  liveEvents,
} from '@flaggraph/client/live';
import { sseClient } from '@flaggraph/client/live/sse';
import { webSocketClient } from '@flaggraph/client/live/ws';
import { print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Prisma } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway } from '../../testkit/app.js';

const FILTER = { featureName: { is: 'followed' } };
const FAST = { minDelayMs: 20, maxDelayMs: 200 };

type Transport = { client: LiveClient; cut: () => void };
type Connect = (url: string, token?: string) => Transport;

const overSse: Connect = (url, token = DEMO_TOKENS.admin) => {
  const streams = new Set<AbortController>();
  return {
    client: sseClient({
      url: `${url}/graphql`,
      headers: () => ({ authorization: token }),
      fetch: (address, init) => {
        const abort = new AbortController();
        streams.add(abort);
        init?.signal?.addEventListener('abort', () => abort.abort());
        return fetch(address, { ...init, signal: abort.signal });
      },
    }),
    cut: () => {
      for (const stream of streams) stream.abort(new TypeError('network error'));
    },
  };
};

const overWebSocket: Connect = (url, token = DEMO_TOKENS.admin) => {
  const sockets: WebSocket[] = [];
  class TestSocket extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      sockets.push(this);
    }
  }
  return {
    client: webSocketClient({
      url: `${url.replace(/^http/, 'ws')}/graphql`,
      connectionParams: { authorization: token },
      webSocketImpl: TestSocket,
    }),
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
  };
};

describeWithDemo('live events of the client package', ({ gateway, database }) => {
  const record = async (): Promise<number> => {
    const [row] = await database().client.$queryRaw<[{ id: number }]>(Prisma.sql`
      insert into events (type, created_by, project, feature_name, data)
      values ('feature-updated', 'somebody', 'default', 'followed', '{}') returning id`);
    return row.id;
  };
  const isFollowed = ({ rest }: Gateway = gateway()) =>
    expect.poll(async () => (await rest('/metrics')).text).toMatch(/^flaggraph_live_streams 1$/m);
  const startCursor = async (): Promise<string> => {
    const { data } = await gateway().graphql(print(EventLogDocument), { filter: FILTER, first: 1 });
    return data.eventLog.cursor;
  };

  describe.each([
    ['server-sent events', overSse],
    ['a WebSocket', overWebSocket],
  ])('over %s', (_name, connect) => {
    test('continue from the last cursor when the connection is cut', async () => {
      const { client, cut } = connect(gateway().url);
      const received: number[] = [];
      const statuses: LiveStatus['state'][] = [];
      const stop = followEvents({
        ...FAST,
        client,
        filter: FILTER,
        after: await startCursor(),
        onEvent: ({ node }) => received.push(node.id),
        onStatus: ({ state }) => statuses.push(state),
      });
      const expected = [await record(), await record()];
      await expect.poll(() => received).toEqual(expected);
      for (let round = 0; round < 3; round++) {
        cut();
        expected.push(await record(), await record());
        await expect.poll(() => received).toEqual(expected);
      }
      // Never open before it is connected.
      expect(statuses.join()).toMatch(/^connecting,open(,waiting,connecting(,open)?)+$/);
      stop();
      expect(statuses.at(-1)).toBe('closed');
      await record();
      await expect
        .poll(async () => (await gateway().rest('/metrics')).text)
        .toMatch(/^flaggraph_live_streams 0$/m);
      expect(received).toEqual(expected);
    });

    test('continue when the gateway has restarted', async () => {
      const first = await startGateway(database());
      const { client } = connect(first.url);
      const received: number[] = [];
      const stop = followEvents({
        ...FAST,
        client,
        filter: FILTER,
        after: await startCursor(),
        onEvent: ({ node }) => received.push(node.id),
      });
      await isFollowed(first);
      const expected = [await record()];
      await expect.poll(() => received).toEqual(expected);
      await first.stop();
      expected.push(await record());
      const second = await startGateway(database(), { PORT: new URL(first.url).port });
      expected.push(await record());
      await expect.poll(() => received).toEqual(expected);
      stop();
      await second.stop();
    });

    test('end with the reason when the token is invalid', async () => {
      const { client } = connect(gateway().url, 'no-such-token');
      const error = await new Promise<LiveError>((resolve) => {
        followEvents({ ...FAST, client, onEvent: () => undefined, onError: resolve });
      });
      expect(error).toBeInstanceOf(LiveError);
      expect(error).toMatchObject({ code: 'UNAUTHENTICATED', isTemporary: false });
      expect(error.message).toMatch(/token/i);
    });

    test('throw the reason when the filter is invalid', async () => {
      const { client } = connect(gateway().url);
      const filter = { id: { is: 1, anyOf: [2] } };
      const next = liveEvents({ ...FAST, client, filter }).next();
      await expect(next).rejects.toMatchObject({ name: 'LiveError', code: 'BAD_USER_INPUT' });
    });

    test('are an iterator that ends when it is aborted', async () => {
      const { client } = connect(gateway().url);
      const abort = new AbortController();
      const after = await startCursor();
      const expected = [await record(), await record()];
      const received: number[] = [];
      for await (const { node } of liveEvents({
        ...FAST,
        client,
        filter: FILTER,
        after,
        signal: abort.signal,
      })) {
        received.push(node.id);
        if (received.length === expected.length) abort.abort();
      }
      expect(received).toEqual(expected);
    });
  });

  /** A connection that the test controls. */
  const createFake = () => {
    const sinks: LiveSink[] = [];
    const cursors: unknown[] = [];
    const client: LiveClient = {
      subscribe: ({ variables }, sink) => {
        cursors.push(variables['after']);
        sinks.push(sink);
        return () => undefined;
      },
    };
    const send = (cursor: string) =>
      sinks.at(-1)?.next({ data: { events: { cursor, node: { id: Number(cursor) } } } });
    return { client, cursors, send, end: (error?: unknown) => sinks.at(-1)?.error(error) };
  };

  test('do not repeat an event that is sent again', async () => {
    const { client, cursors, send, end } = createFake();
    const received: string[] = [];
    const stop = followEvents({
      ...FAST,
      client,
      after: '0',
      onEvent: ({ cursor }) => received.push(cursor),
    });
    send('1');
    send('2');
    end(new TypeError('network error'));
    await expect.poll(() => cursors).toEqual(['0', '2']);
    send('2');
    send('3');
    expect(received).toEqual(['1', '2', '3']);
    stop();
  });

  test('wait longer after each failure, and at least for `Retry-After`', async () => {
    const { client, cursors, end } = createFake();
    const delays: number[] = [];
    const stop = followEvents({
      minDelayMs: 8,
      maxDelayMs: 32,
      client,
      onEvent: () => undefined,
      onStatus: (status) => {
        if (status.state === 'waiting') delays.push(status.delayMs);
      },
    });
    for (let failure = 1; failure <= 5; failure++) {
      end(new TypeError('network error'));
      await expect.poll(() => cursors.length).toBe(failure + 1);
    }
    expect(delays.map((delay, index) => delay <= 8 * 2 ** index && delay <= 32)).toEqual(
      delays.map(() => true),
    );
    expect(delays.at(-1)).toBeGreaterThanOrEqual(16);
    end(new LiveError('wait', { isTemporary: true, retryAfter: 60 }));
    expect(delays.at(-1)).toBe(60_000);
    stop();
  });
});
