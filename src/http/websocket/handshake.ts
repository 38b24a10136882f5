import { IncomingMessage } from 'node:http';
import { DEPRECATED_GRAPHQL_WS_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws';
import { isSameOrigin } from '../same-origin.js';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';
const MAX_PROTOCOLS = 20;

/** Why a WebSocket is refused, as an HTTP response. */
export type Refusal = { status: number; message: string; headers?: Record<string, string> };

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

export const STRIPPED: Refusal = {
  status: 426,
  message:
    'A proxy has removed the headers Upgrade and Connection of this WebSocket. Configure it to forward them.',
  headers: { upgrade: 'websocket' },
};

const protocolRefusal = (offered: readonly string[]): string => {
  if (offered.includes(DEPRECATED_GRAPHQL_WS_PROTOCOL)) {
    return `The subprotocol '${DEPRECATED_GRAPHQL_WS_PROTOCOL}' of subscriptions-transport-ws is not supported. Use '${GRAPHQL_TRANSPORT_WS_PROTOCOL}', which the package graphql-ws speaks.`;
  }
  return `The header Sec-WebSocket-Protocol must offer '${GRAPHQL_TRANSPORT_WS_PROTOCOL}', which the package graphql-ws speaks.`;
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
    return { status: 404, message: 'WebSockets are served at /graphql only.' };
  }
  if (headers['sec-websocket-version'] !== VERSION) {
    return {
      status: 426,
      message: `The header Sec-WebSocket-Version must be ${VERSION}.`,
      headers: { 'sec-websocket-version': VERSION },
    };
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    return { status: 400, message: 'The header Sec-WebSocket-Key is missing or malformed.' };
  }
  const offered = (headers['sec-websocket-protocol'] ?? '')
    .split(',', MAX_PROTOCOLS)
    .map((name) => name.trim());
  if (!offered.includes(GRAPHQL_TRANSPORT_WS_PROTOCOL)) {
    return { status: 400, message: protocolRefusal(offered) };
  }
  if (!isOriginAllowed(request, site)) {
    return {
      status: 403,
      message:
        'Pages of this origin may not open a WebSocket. Add the origin to CORS_ORIGINS to allow it.',
    };
  }
  if (site.isStopping) {
    return {
      status: 503,
      message: 'The gateway is shutting down. Reconnect shortly.',
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
