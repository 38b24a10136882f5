import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';

// biome-ignore lint/suspicious/noExplicitAny: messages are compared with expectations of tests.
type Message = { type: string; id?: string; payload?: any };

export type GraphqlSocket = {
  socket: WebSocket;
  send(message: object | string): void;
  subscribe(id: string, query: string, variables?: Record<string, unknown>): void;
  /** The next message; null when the connection is closed. */
  next(): Promise<Message | null>;
  /** The next messages, of the given number. */
  take(count: number): Promise<Message[]>;
  /** Resolves with the code and the reason. */
  closed: Promise<{ code: number; reason: string }>;
  close(): void;
};

type Options = Pick<ClientOptions, 'headers' | 'origin'> & {
  protocols?: string[];
  /** Payload of connection_init. Null sends none. Default: the admin token of the demo world. */
  init?: object | null;
  path?: string;
};

/** Opens a WebSocket and speaks graphql-transport-ws, message by message. */
export const openGraphqlSocket = async (
  url: string,
  {
    protocols = ['graphql-transport-ws'],
    init = { Authorization: DEMO_TOKENS.admin },
    path = '/graphql',
    ...options
  }: Options = {},
): Promise<GraphqlSocket> => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, protocols, options);
  const received: Message[] = [];
  const waiting: ((message: Message | null) => void)[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    const waiter = waiting.shift();
    if (waiter) waiter(message);
    else received.push(message);
  });
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      for (const waiter of waiting.splice(0)) waiter(null);
      resolve({ code, reason: String(reason) });
    });
  });
  await once(socket, 'open');
  const send = (message: object | string) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  if (init) send({ type: 'connection_init', payload: init });
  const next = (): Promise<Message | null> => {
    const message = received.shift();
    if (message) return Promise.resolve(message);
    if (socket.readyState === WebSocket.CLOSED) return Promise.resolve(null);
    return new Promise((resolve) => waiting.push(resolve));
  };
  return {
    socket,
    send,
    subscribe: (id, query, variables = {}) =>
      send({ id, type: 'subscribe', payload: { query, variables } }),
    next,
    take: async (count) => {
      const messages: Message[] = [];
      while (messages.length < count) {
        const message = await next();
        if (message === null) break;
        messages.push(message);
      }
      return messages;
    },
    closed,
    close: () => socket.close(),
  };
};

/** The same, up to connection_ack. */
export const connectGraphqlSocket = async (
  url: string,
  options: Options = {},
): Promise<GraphqlSocket> => {
  const socket = await openGraphqlSocket(url, options);
  const ack = await socket.next();
  if (ack?.type !== 'connection_ack') throw new Error(`Not acknowledged: ${JSON.stringify(ack)}`);
  return socket;
};

/** The response to a handshake that is refused. */
export const refusedHandshake = (
  url: string,
  { protocols = ['graphql-transport-ws'], path = '/graphql', ...options }: Options = {},
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, protocols, options);
    socket.on('error', () => undefined);
    socket.on('open', () => reject(new Error('The handshake was accepted.')));
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
  });
