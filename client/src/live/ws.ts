import { type ClientOptions, createClient } from 'graphql-ws';
import type { LiveClient, LiveResult } from './live-client.js';
import { LiveError } from './live-error.js';

type Options = {
  /** Address of the gateway, such as `wss://flags.example.com/graphql`. */
  url: string;
  /** Sent in `connection_init`, such as `authorization`. A function can return a new token. */
  connectionParams?: ClientOptions['connectionParams'];
  /** A WebSocket class, for environments that have none. */
  webSocketImpl?: unknown;
};

const CODES: Readonly<Record<number, string>> = {
  1013: 'OVERLOADED',
  4400: 'BAD_USER_INPUT',
  4401: 'UNAUTHENTICATED',
  4403: 'FORBIDDEN',
};
const INIT_TIMEOUT = 4408;

/** Codes from 4400 to 4499 say that the client is wrong. */
const isTemporary = (code: number) => code === INIT_TIMEOUT || code < 4400 || code > 4499;

const isCloseEvent = (error: unknown): error is { code: number; reason: string } =>
  typeof error === 'object' && error !== null && 'code' in error && 'reason' in error;

const fromClose = ({ code, reason }: { code: number; reason: string }): LiveError =>
  new LiveError(reason || `The WebSocket was closed with code ${code}.`, {
    code: CODES[code],
    status: code,
    isTemporary: isTemporary(code),
  });

/** Live events over a WebSocket (graphql-transport-ws), which several subscriptions can share. */
export const webSocketClient = ({ url, connectionParams, webSocketImpl }: Options): LiveClient => {
  const client = createClient({
    url,
    retryAttempts: 0,
    ...(connectionParams !== undefined && { connectionParams }),
    ...(webSocketImpl !== undefined && { webSocketImpl }),
    // Failures are passed to each subscription.
    onNonLazyError: () => undefined,
  });
  let isConnected = false;
  client.on('connected', () => {
    isConnected = true;
  });
  client.on('closed', () => {
    isConnected = false;
  });
  return {
    subscribe: (request, sink) => {
      const forget = isConnected ? () => undefined : client.on('connected', () => sink.open());
      const unsubscribe = client.subscribe(request, {
        next: (result) => sink.next(result as LiveResult),
        complete: () => sink.complete(),
        error: (error) => sink.error(isCloseEvent(error) ? fromClose(error) : error),
      });
      if (isConnected) sink.open();
      return () => {
        forget();
        unsubscribe();
      };
    },
  };
};
