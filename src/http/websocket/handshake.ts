import { IncomingMessage } from 'node:http';
import {
  CloseCode,
  DEPRECATED_GRAPHQL_WS_PROTOCOL,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
} from 'graphql-ws';
import {
  BadDataError,
  type DomainError,
  ForbiddenError,
  NotFoundError,
  OverloadedError,
} from '../../domain/errors.js';
import { isSameOrigin } from '../same-origin.js';
import { SocketClose } from './socket-close.js';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';

/** Why a WebSocket is refused, as an HTTP response. */
export type Refusal = {
  error: DomainError;
  /** Default: that of the error. */
  status?: number;
  headers?: Record<string, string>;
};

/** Whether a request asks to continue as a WebSocket. All other upgrades are ignored. */
export const isWebSocketRequest = ({ method, httpVersion, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers.upgrade?.trim().toLowerCase() === 'websocket' &&
  /\bupgrade\b/i.test(headers.connection ?? '');

const isGraphqlPath = (path: string | null): boolean => /^\/graphql\/?$/.test(path ?? '');

/** Whether a proxy has removed the Upgrade header of a WebSocket, but not the others. */
export const isStripped = ({ method, headers }: IncomingMessage, path: string | null): boolean =>
  method === 'GET' &&
  headers['sec-websocket-key'] !== undefined &&
  headers.upgrade === undefined &&
  isGraphqlPath(path);

export const strippedRefusal = (): Refusal => ({
  error: new BadDataError(
    'A proxy has removed the headers Upgrade and Connection of this WebSocket. Configure it to forward them.',
  ),
  status: 426,
  headers: { upgrade: 'websocket' },
});

/** Clients close a connection for which none of their subprotocols is selected, without a reason. */
export const selectProtocol = (offered: ReadonlySet<string>): string | false =>
  offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL)
    ? GRAPHQL_TRANSPORT_WS_PROTOCOL
    : ([...offered][0] ?? false);

/** Null for the subprotocol that is spoken here. A reason has at most 123 bytes. */
export const protocolRefusal = (selected: string): SocketClose | null => {
  if (selected === GRAPHQL_TRANSPORT_WS_PROTOCOL) return null;
  const reason =
    selected === DEPRECATED_GRAPHQL_WS_PROTOCOL
      ? `subscriptions-transport-ws is not supported. Use ${GRAPHQL_TRANSPORT_WS_PROTOCOL}, of the package graphql-ws.`
      : `Offer the subprotocol ${GRAPHQL_TRANSPORT_WS_PROTOCOL}, of the package graphql-ws.`;
  return new SocketClose(CloseCode.SubprotocolNotAcceptable, reason);
};

type Site = {
  /** Path below the base path. Null for paths outside of it. */
  path: string | null;
  /** Host that the client requested. */
  host: string | null;
  corsOrigins: readonly string[];
  isStopping: boolean;
};

/**
 * Browsers let pages of every origin open a WebSocket, so the gateway has to check the origin itself: the same ones may
 * read responses of HTTP requests.
 */
const isOriginAllowed = (
  { headers }: IncomingMessage,
  { host, corsOrigins }: Pick<Site, 'host' | 'corsOrigins'>,
): boolean =>
  isSameOrigin({ method: 'POST', headers }, host) || corsOrigins.includes(headers.origin ?? '');

/** Null if the WebSocket can be opened. */
export const refusalOf = (request: IncomingMessage, site: Site): Refusal | null => {
  const { headers } = request;
  if (!isGraphqlPath(site.path)) {
    return { error: new NotFoundError('WebSockets are served at /graphql only.') };
  }
  if (headers['sec-websocket-version'] !== VERSION) {
    return {
      error: new BadDataError(`The header Sec-WebSocket-Version must be ${VERSION}.`),
      status: 426,
      headers: { 'sec-websocket-version': VERSION },
    };
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    return { error: new BadDataError('The header Sec-WebSocket-Key is missing or malformed.') };
  }
  if (!isOriginAllowed(request, site)) {
    return {
      error: new ForbiddenError(
        'Pages of this origin may not open a WebSocket. Add the origin to CORS_ORIGINS to allow it.',
      ),
    };
  }
  if (site.isStopping) {
    return {
      error: new OverloadedError('The gateway is shutting down. Reconnect shortly.'),
      headers: { 'retry-after': '1' },
    };
  }
  return null;
};

/**
 * The class of requests of a server that upgrades only some of them. With a listener for upgrades, Node would stop
 * reading every request with an Upgrade header as HTTP, such as those of `curl --http2`.
 */
export const upgradableRequest = (
  isUpgraded: (request: IncomingMessage) => boolean,
): typeof IncomingMessage => {
  /** As Node's parser sees it, then as decided. Outside of the object: the constructor of Node sets `upgrade`, too. */
  const parsed = new WeakMap<IncomingMessage, unknown>();
  const decided = new WeakMap<IncomingMessage, boolean>();
  const decide = (request: IncomingMessage): boolean => {
    const known = decided.get(request) ?? isUpgraded(request);
    decided.set(request, known);
    return known;
  };
  return class UpgradableRequest extends IncomingMessage {
    get upgrade(): unknown {
      const value = parsed.get(this);
      return value === true && this.method !== 'CONNECT' ? decide(this) : value;
    }
    set upgrade(value: unknown) {
      parsed.set(this, value);
    }
  };
};
