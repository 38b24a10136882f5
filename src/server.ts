import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { App } from './app.js';
import type { Config } from './config/config.js';
import { type Expected, type Feeding, feedInSlices } from './http/feed-in-slices.js';
import { boundUnreadBody } from './http/unread-body.js';
import type { Logger } from './observability/logger.js';

/** Minimum time for requests in flight after SIGTERM. */
const MIN_DRAIN_MS = 10_000;
const TURN_MS = 50;
const QUIET_TURNS = 5;
/** For requests on connections that were opened just before the server stopped listening. */
const LAST_REQUESTS_MS = 500;
// How often Node checks for connections that have timed out.
const CHECK_MS = 2_000;
/** How long a client has to read why it was rejected. */
const LINGER_MS = 2_000;
/** Maximum requests in one slice of a connection. Each is normally parsed after the response to the previous one. */
const MAX_PIPELINED = 20;
/** Node itself would silently ignore headers after the first 2,000. */
const MAX_HEADERS = 100;

export type RunningServer = {
  /** URL of the server without its base path. */
  url: string;
  /** Finishes requests in flight. Resolves when no more arrive, or on timeout. */
  stop: () => Promise<void>;
};

const CLIENT_ERRORS: ReadonlyMap<string | undefined, readonly [string, string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'The URL or the headers are too long.'],
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request did not arrive in time.']],
]);

const JSON_TYPE = 'application/json; charset=utf-8';

const errorBody = (message: string): string =>
  JSON.stringify({ id: randomUUID(), name: 'BadDataError', message, details: [{ message }] });

/** Malformed HTTP gets an error response in the usual shape. */
const rejectConnection = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [line, message] = CLIENT_ERRORS.get(error.code) ?? [
    '400 Bad Request',
    'The HTTP request is malformed.',
  ];
  const body = errorBody(message);
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A client that does not close its side would keep the connection open forever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

/** The raw headers, because Node builds an object of all headers otherwise. */
const countHeaders = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

type Fault = { status: number; message: string };

/** What Node accepts although a proxy may understand it differently. Null for a valid request. */
const faultOf = (request: IncomingMessage): Fault | null => {
  const { httpVersion, rawHeaders } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { status: 431, message: `A request can have at most ${MAX_HEADERS} headers.` };
  }
  const badRequest = (message: string): Fault => ({ status: 400, message });
  const hosts = countHeaders(request, 'host');
  if (httpVersion === '1.1' && hosts === 0) return badRequest('The request has no Host header.');
  if (hosts > 1) return badRequest('The request has more than one Host header.');
  if (httpVersion === '1.0' && countHeaders(request, 'transfer-encoding') > 0) {
    return badRequest('HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.');
  }
  const encoding = request.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked') {
    return badRequest('The Transfer-Encoding of a request can only be chunked.');
  }
  return httpVersion.startsWith('1.')
    ? null
    : badRequest(`HTTP version ${httpVersion} is not supported.`);
};

const rejectFault = (response: ServerResponse, { status, message }: Fault): void => {
  const body = errorBody(message);
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
};

/** Connections that look idle may contain unread requests, so they stay open until nothing has arrived for a while. */
const settle = async (inFlight: ReadonlySet<ServerResponse>, limitMs: number): Promise<void> => {
  const deadline = Date.now() + limitMs;
  for (let quiet = 0; quiet < QUIET_TURNS && Date.now() < deadline; ) {
    await delay(TURN_MS);
    quiet = inFlight.size === 0 ? quiet + 1 : 0;
  }
};

/** Clients that connect without end must not delay a stop. */
const MAX_ACCEPTING_TURNS = 1_000;

/** Connections that still wait to be accepted when a server stops listening are reset, with the requests sent on them. */
const acceptWaiting = async (server: Server): Promise<void> => {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on('connection', onConnection);
  // Each turn of the event loop may accept only one.
  for (let turns = 0; !isQuiet && turns < MAX_ACCEPTING_TURNS; turns += 1) {
    isQuiet = true;
    await nextTurn();
  }
  server.off('connection', onConnection);
};

/** Rejects new connections, so that load balancers use another server. Open connections stay. */
const stopListening = (server: Server): Promise<void> =>
  // `close` of HTTP servers also closes connections on which a request may be in flight.
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));

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
  app: Pick<App, 'handle' | 'announceStop' | 'drain'>,
  { host, port, requestTimeoutMs, traffic }: ServerSettings,
  logger: Logger,
): Promise<RunningServer> => {
  const inFlight = new Set<ServerResponse>();
  const byConnection = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOn = (socket: Socket): ReadonlySet<ServerResponse> =>
    byConnection.get(socket) ?? new Set();
  const lastOn = new WeakMap<Socket, ServerResponse>();
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
    lastOn.set(request.socket, response);
    // A connection kept alive now would be closed later, perhaps just when a load balancer sends a request on it.
    if (isStopping) response.setHeader('connection', 'close');
    const own = byConnection.get(request.socket) ?? new Set();
    byConnection.set(request.socket, own.add(response));
    response.on('close', () => {
      inFlight.delete(response);
      own.delete(response);
      feedings.get(request.socket)?.proceed();
    });
    if (own.size <= MAX_PIPELINED) return true;
    request.socket.destroy();
    return false;
  };
  // Node would answer requests without a Host header itself, however many come on one connection.
  const options = { connectionsCheckingInterval: CHECK_MS, requireHostHeader: false };
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
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The parser would report the same error for everything that follows.
    feedings.get(socket)?.stop();
    // An error response must neither interrupt another response nor replace one.
    const last = lastOn.get(socket);
    const isInBody = last?.headersSent && !last.req.complete;
    const isResponding = [...responsesOn(socket)].some(({ req }) => req.complete);
    if (isResponding || isInBody) socket.destroy();
    else rejectConnection(error, socket);
  });
  server.on('connection', (socket) => {
    feedings.set(
      socket,
      feedInSlices(socket, () => expectedOn(socket)),
    );
    socket.once('close', () =>
      setImmediate(() => {
        // Node closes the response being sent, but not those queued behind it.
        for (const response of responsesOn(socket)) response.emit('close');
      }),
    );
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    stop: async () => {
      app.announceStop();
      isStopping = true;
      // Load balancers keep sending until they have seen that this server is not ready.
      await delay(traffic.shutdownDelayMs);
      app.drain();
      for (const response of inFlight) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      await settle(inFlight, drainLimit(requestTimeoutMs) - LAST_REQUESTS_MS);
      await acceptWaiting(server);
      const closed = stopListening(server);
      await settle(inFlight, LAST_REQUESTS_MS);
      server.closeAllConnections();
      await closed;
    },
  };
};
