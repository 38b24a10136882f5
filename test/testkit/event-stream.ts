import { DEMO_TOKENS } from '../../src/demo/tokens.js';

// biome-ignore lint/suspicious/noExplicitAny: messages are compared with expectations of tests.
type Result = { data?: any; errors?: any[] };

export type EventStream = {
  status: number;
  headers: Headers;
  /** The next result; null when the stream was completed or has ended. */
  next(): Promise<Result | null>;
  /** The next results, of the given number. */
  take(count: number): Promise<Result[]>;
  /** Everything received so far, unparsed. */
  text(): string;
  /** Whether it ended with the `complete` message of the protocol. */
  isComplete(): boolean;
  close(): Promise<void>;
};

type Options = {
  token?: string | null;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
};

/** Opens a subscription with the graphql-sse protocol, one connection each. */
export const openEventStream = async (
  url: string,
  query: string,
  variables: Record<string, unknown> = {},
  { token = DEMO_TOKENS.admin, method = 'POST', headers = {} }: Options = {},
): Promise<EventStream> => {
  const ending = new AbortController();
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${url}/graphql${method === 'GET' ? `?${search}` : ''}`, {
    method,
    headers: {
      accept: 'text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: token }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify({ query, variables }) }),
    signal: ending.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let all = '';
  let rest = '';
  let isComplete = false;

  /** The next message in the received text, without comments. */
  const readMessage = (): { event: string; data: string } | null => {
    for (;;) {
      const end = rest.indexOf('\n\n');
      if (end < 0) return null;
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = (name: string) =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const event = field('event');
      if (event !== undefined) return { event, data: field('data') ?? '' };
    }
  };

  const next = async (): Promise<Result | null> => {
    for (;;) {
      const message = readMessage();
      if (message?.event === 'next') return JSON.parse(message.data);
      if (message?.event === 'complete') {
        isComplete = true;
        return null;
      }
      const read = await reader?.read();
      if (!read || read.done) return null;
      all += read.value;
      rest += read.value;
    }
  };

  return {
    status: response.status,
    headers: response.headers,
    next,
    take: async (count) => {
      const results: Result[] = [];
      while (results.length < count) {
        const result = await next();
        if (result === null) break;
        results.push(result);
      }
      return results;
    },
    text: () => all,
    isComplete: () => isComplete,
    close: async () => {
      ending.abort();
      await reader?.cancel().catch(() => undefined);
    },
  };
};
