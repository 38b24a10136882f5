import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from './app.js';
import type { Config } from './config/config.js';
import type { Logger } from './observability/logger.js';

const DRAIN_LIMIT_MS = 10_000;
const TURN_MS = 50;
const QUIET_TURNS = 5;
// How often Node looks for connections that have taken too long.
const CHECK_MS = 2_000;

export type RunningServer = {
  /** Address of the server without its base path. */
  url: string;
  /** Finishes what is under way, and resolves when nothing more comes or time is up. */
  stop: () => Promise<void>;
};

/** A request that is no HTTP still gets an answer in the shape of all others. */
const refuse = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [line, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The address or the headers are too long.']
      : ['400 Bad Request', 'This is not a well-formed HTTP request.'];
  const id = randomUUID();
  const body = JSON.stringify({ id, name: 'BadDataError', message, details: [{ message }] });
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** Requests may lie unread in connections that look idle, so these stay open until nothing has come for a while. */
const settle = async (underWay: ReadonlySet<ServerResponse>): Promise<void> => {
  const deadline = Date.now() + DRAIN_LIMIT_MS;
  for (let quiet = 0; quiet < QUIET_TURNS && Date.now() < deadline; ) {
    await delay(TURN_MS);
    quiet = underWay.size === 0 ? quiet + 1 : 0;
  }
};

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

export const startServer = async (
  app: App,
  { host, port, requestTimeoutMs }: Pick<Config, 'host' | 'port' | 'requestTimeoutMs'>,
  logger: Logger,
): Promise<RunningServer> => {
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  const server = createServer({ connectionsCheckingInterval: CHECK_MS }, (request, response) => {
    underWay.add(response);
    // A connection kept alive after its last answer would only be cut off.
    if (isDraining) response.setHeader('connection', 'close');
    response.on('close', () => underWay.delete(response));
    app.handle(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'an answer could not be sent');
      response.destroy();
    });
  });
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, 20_000);
  server.on('clientError', refuse);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    stop: async () => {
      app.drain();
      isDraining = true;
      for (const response of underWay) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      await settle(underWay);
      await closeServer(server);
    },
  };
};
