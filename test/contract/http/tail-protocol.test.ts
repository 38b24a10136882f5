import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { type Follow, followEvents } from '../../../src/cli/tail/follow-events.js';
import { type SseCall, startSseServer } from '../../testkit/sse-server.js';

type Server = Awaited<ReturnType<typeof startSseServer>>;

const eventOf = (id: number) => ({ data: { events: { cursor: `c${id}`, node: { id } } } });
const errorOf = (code: string, message = 'Not like that.') => ({
  errors: [{ message, extensions: { code } }],
});

/** Fake servers, to send what a gateway sends only under failure; tail.test.ts uses a real gateway. */
describe('the client of tail', () => {
  let server: Server | undefined;
  /** IDs received so far. */
  let seen: number[] = [];
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const follow = async (
    onCall: (call: SseCall, number: number) => unknown,
    { count, ...options }: Partial<Follow> & { count: number },
  ) => {
    server = await startSseServer(onCall);
    const gateway = await openGateway({ url: server.url, token: 'secret', env: {} });
    const stop = new AbortController();
    const pauses: string[] = [];
    let gaps = 0;
    const ids: number[] = [];
    seen = ids;
    const events = followEvents(gateway, {
      filter: { projectId: { is: 'web' } },
      after: 'c0',
      signal: stop.signal,
      pauses: [1, 2, 4],
      onPause: ({ message }, ms) => pauses.push(`${ms}: ${message}`),
      onGap: () => {
        gaps += 1;
      },
      ...options,
    });
    let failure: unknown = null;
    try {
      for await (const { node } of events) {
        ids.push(node.id);
        if (ids.length >= count) stop.abort();
      }
    } catch (error) {
      if (!stop.signal.aborted) failure = error;
    }
    return { ids, pauses, gaps, failure };
  };

  test('sends one POST per stream, with the filter, the cursor and the token', async () => {
    const calls: SseCall[] = [];
    const { ids } = await follow(
      (call) => {
        calls.push(call);
        call.open();
        call.send('next', eventOf(1));
        call.send('next', eventOf(2));
      },
      { count: 2 },
    );
    expect(ids).toEqual([1, 2]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: 'secret',
    });
    expect(calls[0]?.variables).toEqual({ filter: { projectId: { is: 'web' } }, after: 'c0' });
    expect(calls[0]?.query).toMatch(/^subscription Tail/);
  });

  test('resumes after the last event when the connection is lost or completed', async () => {
    const after: unknown[] = [];
    const { ids, pauses } = await follow(
      async (call, number) => {
        // The last call outlives the test, and `seen` then belongs to the next one.
        const received = seen;
        after.push(call.variables['after']);
        call.open();
        call.send('next', eventOf(number));
        await expect.poll(() => received).toContain(number);
        if (number % 2 === 0) call.send('complete', undefined);
        else call.cut();
      },
      { count: 5 },
    );
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(after).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
    expect(pauses[0]).toMatch(/^1: The gateway at http:\S+ cannot be reached: /);
    expect(pauses[1]).toBe('2: The gateway closed the stream.');
    expect(pauses.map((message) => message.split(':')[0])).toEqual(['1', '2', '4', '4']);
  });

  test('resumes after the last event when the next one was truncated', async () => {
    const after: unknown[] = [];
    const { ids, pauses, failure } = await follow(
      (call, number) => {
        after.push(call.variables['after']);
        call.open();
        if (number === 1) call.send('next', eventOf(1));
        if (number < 3) call.response.write('event: next\ndata: {"data": {"ev\n\n');
        else call.send('next', eventOf(2));
      },
      { count: 2 },
    );
    expect({ ids, failure }).toEqual({ ids: [1, 2], failure: null });
    expect(after).toEqual(['c0', 'c1', 'c1']);
    expect(pauses[1]).toBe('2: The stream was cut off in the middle of an event.');
  });

  test('detects a connection that died silently', async () => {
    const { ids, pauses } = await follow(
      (call, number) => {
        call.open();
        if (number > 1) call.send('next', eventOf(7));
      },
      { count: 1, silenceMs: 1_500 },
    );
    expect(ids).toEqual([7]);
    expect(pauses[0]).toContain('nothing received for 1.5 s');
  });

  test('accepts comments as heartbeats', async () => {
    const { ids, pauses } = await follow(
      async (call) => {
        call.open();
        for (let beat = 0; beat < 40; beat += 1) {
          await delay(100);
          call.response.write(':\n\n');
        }
        call.send('next', eventOf(1));
      },
      { count: 1, silenceMs: 3_000 },
    );
    expect(ids).toEqual([1]);
    expect(pauses).toEqual([]);
  });

  test.each(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'INVALID_OPERATION'])(
    'exits with the message of the gateway on %s, in the stream or as the response',
    async (code) => {
      const inside = await follow(
        (call) => {
          call.open();
          call.send('next', eventOf(1));
          call.send('next', errorOf(code, 'Not\u001b[2J so.'));
          call.send('complete', undefined);
        },
        { count: 2 },
      );
      expect(inside).toMatchObject({ ids: [1], pauses: [] });
      expect(String(inside.failure)).toContain('The gateway returned an error: Not [2J so.');
      await server?.stop();

      const unauthorized = await follow(
        ({ response }) => response.writeHead(401).end(JSON.stringify(errorOf(code))),
        { count: 1 },
      );
      expect(unauthorized).toMatchObject({ ids: [], pauses: [], failure: { code } });
    },
  );

  test('retries when the gateway is overloaded', async () => {
    const { ids, pauses } = await follow(
      (call, number) => {
        if (number === 1) return call.response.writeHead(503).end('busy');
        call.open();
        if (number === 2) return call.send('next', errorOf('OVERLOADED', 'You read too slowly.'));
        if (number === 3) return call.send('next', errorOf('LIMIT_EXCEEDED', 'Too many.'));
        return call.send('next', eventOf(1));
      },
      { count: 1 },
    );
    expect(ids).toEqual([1]);
    expect(pauses.join()).toMatch(/status 503.*You read too slowly.*Too many/);
  });

  test('reports a possible gap once, and only after a stream without an event', async () => {
    const late = await follow(
      async (call, number) => {
        if (number === 1 || number === 3) return call.cut();
        call.open();
        if (number === 4) return call.send('next', eventOf(1));
        await delay(1_000);
        call.cut();
      },
      { count: 1, after: null },
    );
    expect(late).toMatchObject({ ids: [1], gaps: 1 });
    expect(late.pauses).toHaveLength(3);
  });

  test('fails when the gateway was never reachable', async () => {
    const { pauses, failure } = await follow((call) => call.cut(), { count: 1 });
    expect(pauses).toHaveLength(3);
    expect(String(failure)).toContain('cannot be reached');
  });

  test.each([
    ['an HTML page', (call: SseCall) => call.response.writeHead(200).end('<html>')],
    [
      'a stream of invalid data',
      (call: SseCall) => {
        call.open();
        call.response.write('event: next\ndata: <html>\n\n');
      },
    ],
    [
      'a redirect',
      (call: SseCall) => call.response.writeHead(302, { location: 'http://other/graphql' }).end(),
    ],
  ])('rejects %s', async (_name, onCall) => {
    const { pauses, failure } = await follow(onCall, { count: 1 });
    expect(pauses).toEqual([]);
    expect(failure).toMatchObject({ name: 'GatewayError', isTransient: false });
  });
});
