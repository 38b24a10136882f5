import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from './app.js';
import type { Config } from './config/config.js';
import { boundUnknownClients, ownerOf } from './http/connection-owners.js';
import { type Expected, type Feeding, feedInSlices } from './http/feed-in-slices.js';
import { faultOf, MAX_HEADERS, rejectConnection, rejectFault } from './http/invalid-request.js';
import { noteAccepted } from './http/start-turns.js';
import { acceptWaiting, settle, stopListening } from './http/stop-server.js';
import { createTurns } from './http/turns.js';
import { boundUnreadBody } from './http/unread-body.js';
import { upgradableRequest } from './http/websocket/handshake.js';
import type { Logger } from './observability/logger.js';

/** Minimum time for requests in flight after SIGTERM. */
const MIN_DRAIN_MS = 10_000;
/** For requests on connections that were opened just before the server stopped listening. */
const LAST_REQUESTS_MS = 500;
// How often Node checks for connections that have timed out. It reports all of them at once.
const CHECK_MS = 500;
/** Per turn of the event loop, for connections with malformed or late requests. */
const REJECT_TURN_MS = 2;
/** Maximum requests in one slice of a connection. Each is normally parsed after the response to the previous one. */
const MAX_PIPELINED = 20;

/** Connections on which no valid credentials were sent. Clients in use send a request at once. */
const MAX_UNKNOWN = { idle: 500, total: 1_000 };

export type RunningServer = {
  /** URL of the server without its base path. */
  url: string;
  /**
   * Finishes requests in flight. Resolves when no more arrive, or on timeout. A server that another process has
   * replaced on the same port stays ready and accepts no more connections.
   */
  stop: (options?: { isReplaced?: boolean }) => Promise<void>;
};

/** Connections that wait to be accepted. Beyond it, clients try again after a second. */
const BACKLOG = 4_096;

type ServerSettings = Pick<Config, 'host' | 'port' | 'requestTimeoutMs' | 'traffic'>;

/** A request that arrived just before SIGTERM may take its full timeout. */
const drainLimit = (requestTimeoutMs: number): number =>
  Math.max(MIN_DRAIN_MS, requestTimeoutMs + 1_000);

/** Time for closing the database after the last request. */
export const CLOSE_LIMIT_MS = 3_000;

/** Maximum time from SIGTERM to exit. */
export const stopLimit = ({ requestTimeoutMs, traffic }: ServerSettings): number =>
  traffic.shutdownDelayMs + drainLimit(requestTimeoutMs) + CLOSE_LIMIT_MS;

export const startServer = async (
  app: Pick<App, 'handle' | 'announceStop' | 'drain'> & Partial<Pick<App, 'sockets'>>,
  { host, port, requestTimeoutMs, traffic }: ServerSettings,
  logger: Logger,
): Promise<RunningServer> => {
  const inFlight = new Set<ServerResponse>();
  const byConnection = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOn = (socket: Socket): ReadonlySet<ServerResponse> =>
    byConnection.get(socket) ?? new Set();
  const lastOn = new WeakMap<Socket, ServerResponse>();
  const unknown = boundUnknownClients(MAX_UNKNOWN);
  const feedings = new WeakMap<Socket, Feeding>();
  /** Connections on which no further request is accepted. */
  const closing = new WeakSet<Socket>();
  const expectedOn = (socket: Socket): Expected => {
    const last = lastOn.get(socket)?.req;
    if (last?.complete === false) return last.readableFlowing === null ? 'unread body' : 'body';
    return responsesOn(socket).size === 0 && !closing.has(socket) ? 'request' : 'later request';
  };
  let isStopping = false;
  /** False for a request too many of its connection, which is closed. */
  const isAdmitted = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (closing.has(request.socket)) return false;
    inFlight.add(response);
    unknown.resume(request.socket);
    lastOn.set(request.socket, response);
    // A connection kept alive now would be closed later, perhaps just when a load balancer sends a request on it.
    if (isStopping) response.setHeader('connection', 'close');
    const own = byConnection.get(request.socket) ?? new Set();
    byConnection.set(request.socket, own.add(response));
    response.on('close', () => {
      inFlight.delete(response);
      own.delete(response);
      if (own.size === 0) unknown.rest(request.socket);
      feedings.get(request.socket)?.proceed();
    });
    if (own.size <= MAX_PIPELINED) return true;
    request.socket.destroy();
    return false;
  };
  // Node would answer requests without a Host header itself, however many come on one connection.
  const options = {
    connectionsCheckingInterval: CHECK_MS,
    requireHostHeader: false,
    IncomingMessage: upgradableRequest((request) => app.sockets?.accepts(request) ?? false),
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (!isAdmitted(request, response)) return;
    const fault = faultOf(request);
    if (fault !== null) {
      rejectFault(response, fault);
      return;
    }
    // Node discards an unknown part of what follows such a request: the rest could be parsed from the middle of a body.
    if (request.headers.upgrade !== undefined) {
      closing.add(request.socket);
      response.setHeader('connection', 'close');
    }
    boundUnreadBody(request, response);
    app.handle(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'failed to send a response');
      response.destroy();
    });
  };
  const server = createServer(options, handle);
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = traffic.keepAliveTimeoutMs;
  // Counted from the first byte of a request, so it may be shorter than the keep-alive timeout.
  server.headersTimeout = Math.min(requestTimeoutMs, 20_000);
  if (traffic.maxConnections !== null) server.maxConnections = traffic.maxConnections;
  server.on('checkContinue', (request, response) => {
    // Of a response that waits for another one, Node would write this into the body.
    if (response.socket) response.writeContinue();
    handle(request, response);
  });
  // Also answered by Node otherwise.
  server.on('checkExpectation', (request, response) => {
    if (!isAdmitted(request, response)) return;
    response.writeHead(417, { connection: 'close', 'content-length': '0' }).end();
  });
  server.on('upgrade', (request, connection, head) => {
    const socket = connection as Socket;
    // Behind a body that arrived with it: that response would be part of the WebSocket.
    if (responsesOn(socket).size > 0) {
      socket.destroy();
      return;
    }
    const unread = feedings.get(socket)?.detach() ?? Buffer.alloc(0);
    feedings.delete(socket);
    // It counts as idle until its client is authenticated.
    const onKnown = () => {
      unknown.resume(socket);
      unknown.rest(socket);
    };
    const opening = { request, connection: socket, head: Buffer.concat([head, unread]), onKnown };
    app.sockets?.open(opening);
  });
  const rejecting = createTurns(REJECT_TURN_MS);
  const reject = (error: NodeJS.ErrnoException, socket: Socket): void => {
    // An error response must neither interrupt another response nor replace one.
    const last = lastOn.get(socket);
    const isInBody = last?.headersSent && !last.req.complete;
    const isResponding = [...responsesOn(socket)].some(({ req }) => req.complete);
    if (isResponding || isInBody) socket.destroy();
    else rejectConnection(error, socket);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The parser would report the same error for everything that follows.
    feedings.get(socket)?.stop();
    rejecting.runLater(ownerOf(socket), () => reject(error, socket));
  });
  server.on('connection', (socket) => {
    noteAccepted();
    unknown.open(socket);
    feedings.set(
      socket,
      feedInSlices(socket, () => expectedOn(socket)),
    );
    socket.once('close', () => {
      unknown.close(socket);
      setImmediate(() => {
        // Node closes the response being sent, but not those queued behind it.
        for (const response of responsesOn(socket)) response.emit('close');
      });
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    stop: async ({ isReplaced = false } = {}) => {
      isStopping = true;
      if (isReplaced) void stopListening(server);
      else {
        app.announceStop();
        // Load balancers keep sending until they have seen that this server is not ready.
        await delay(traffic.shutdownDelayMs);
      }
      app.drain();
      for (const response of inFlight) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const isBusy = () => inFlight.size + (app.sockets?.size() ?? 0) > 0;
      await settle(isBusy, drainLimit(requestTimeoutMs) - LAST_REQUESTS_MS);
      await acceptWaiting(server);
      const closed = stopListening(server);
      await settle(isBusy, LAST_REQUESTS_MS);
      app.sockets?.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
};
