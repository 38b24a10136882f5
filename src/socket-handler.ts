import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Authenticate } from './auth/authenticate.js';
import type { LimitedAuthenticate } from './auth/limit-failures.js';
import type { Config } from './config/config.js';
import { type ByteBudget, CancelledError } from './domain/work.js';
import { MAX_BODY_BYTES } from './graphql/handler.js';
import type { SocketOperations } from './graphql/socket-operations.js';
import type { Call, CallEvents } from './http/call.js';
import { forwardedOf } from './http/forwarded.js';
import { faultOf } from './http/invalid-request.js';
import { isLoopback } from './http/loopback.js';
import type { ReportError } from './http/report-error.js';
import { readPath } from './http/request-path.js';
import {
  isStripped,
  isWebSocketRequest,
  protocolRefusal,
  type Refusal,
  refusalOf,
  selectProtocol,
  strippedRefusal,
} from './http/websocket/handshake.js';
import { createSocketRegistry } from './http/websocket/socket-registry.js';
import type { SocketSession } from './http/websocket/socket-session.js';
import type { Logger } from './observability/logger.js';
import type { Metrics } from './observability/metrics.js';
import { createSessionOpener } from './open-socket.js';

export type SocketHandlerOptions = {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  budget: ByteBudget;
  createCall: (address: string | null, events?: CallEvents) => Call;
  operations: SocketOperations;
  authenticate: Authenticate;
  recognize: LimitedAuthenticate['recognize'];
  reportError: ReportError;
  sessionSecret: string | undefined;
  /** Pages contain tokens, so only this machine may open connections. */
  isLoopbackOnly: boolean;
};

export type OpenSocket = {
  request: IncomingMessage;
  connection: Socket;
  /** What has arrived behind the request. */
  head: Buffer;
  /** Called once the client is authenticated. */
  onKnown: (owner: string) => void;
};

export type Sockets = {
  /** Whether a request continues as a WebSocket. All others are answered over HTTP. */
  accepts(request: IncomingMessage): boolean;
  /** Why a request for a WebSocket is refused. Null if it is not one, or is accepted. */
  refusal(request: IncomingMessage): Refusal | null;
  open(opening: OpenSocket): void;
  /** Connections that are open. */
  size(): number;
  /** Closes all connections once their operations have ended, in a way that lets clients resume. */
  drain(): void;
  /** Closes all connections at once. */
  terminate(): void;
};

/** Fragments of one message. */
const MAX_FRAGMENTS = 1_000;
/** Pieces of an incomplete frame. The connection is read by turns, so there are few. */
const MAX_PIECES = 4_000;
/** How long a client has to confirm that the connection is closed. */
const CLOSE_TIMEOUT_MS = 2_000;

export const SOCKET_SETTINGS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_BODY_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_PIECES,
  // Pings are answered by turns, and counted.
  autoPong: false,
  handleProtocols: selectProtocol,
  // Also after malformed frames, and if the client has closed the connection itself.
  closeTimeout: CLOSE_TIMEOUT_MS,
};

/** WebSockets with the protocol graphql-transport-ws, under the limits of HTTP. */
export const createSocketHandler = (options: SocketHandlerOptions): Sockets => {
  const { config, isLoopbackOnly } = options;
  /** Also those that wait for their handshake. */
  const connections = new Set<Socket>();
  const open = new Map<WebSocket, SocketSession>();
  let isStopping = false;
  const server = new WebSocketServer(SOCKET_SETTINGS);
  const startSession = createSessionOpener(options, createSocketRegistry());

  const refusal = (request: IncomingMessage): Refusal | null => {
    const { path } = readPath(request.url, config.basePath);
    if (!isWebSocketRequest(request)) return isStripped(request, path) ? strippedRefusal() : null;
    return refusalOf(request, {
      path,
      host: forwardedOf(request, config.trustedProxies).host,
      corsOrigins: config.corsOrigins,
      isStopping,
    });
  };

  const upgrade = async ({ request, connection, head, onKnown }: OpenSocket): Promise<void> => {
    const closed = new AbortController();
    connection.once('close', () => closed.abort(new CancelledError()));
    const { ip } = forwardedOf(request, config.trustedProxies);
    const call = options.createCall(ip);
    await call.takeTurn(closed.signal);
    if (connection.destroyed || isStopping) {
      connection.destroy();
      return;
    }
    server.handleUpgrade(request, connection, head, (socket) => {
      const session = startSession({ request, connection, socket, onKnown, signal: closed.signal });
      open.set(socket, session);
      connection.once('close', () => open.delete(socket));
      const problem = protocolRefusal(socket.protocol);
      if (problem) session.close(problem);
    });
  };

  return {
    refusal,
    accepts: (request) =>
      isWebSocketRequest(request) &&
      faultOf(request) === null &&
      (!isLoopbackOnly || isLoopback(request.headers.host ?? 'localhost')) &&
      refusal(request) === null,
    open: (opening) => {
      // Node has removed its own listener.
      opening.connection.on('error', () => undefined);
      connections.add(opening.connection);
      opening.connection.once('close', () => connections.delete(opening.connection));
      upgrade(opening).catch(() => opening.connection.destroy());
    },
    size: () => open.size,
    drain: () => {
      isStopping = true;
      for (const session of open.values()) session.drain();
    },
    terminate: () => {
      for (const connection of connections) connection.destroy();
    },
  };
};
