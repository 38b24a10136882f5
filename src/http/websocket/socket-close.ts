/** Close codes of WebSockets, besides those of graphql-ws. Its client reconnects after each of these. */
export const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;

const MAX_REASON_BYTES = 123;

/** Ends a connection with a code and a reason that the client sees. */
export class SocketClose extends Error {
  constructor(
    readonly code: number,
    reason: string,
  ) {
    super(
      Buffer.from(reason)
        .subarray(0, MAX_REASON_BYTES)
        .toString()
        .replace(/\uFFFD$/, ''),
    );
  }
}

export const STOPPING = new SocketClose(
  GOING_AWAY,
  'The gateway is shutting down. Reconnect and resume from your last cursor.',
);
export const TOO_SLOW = new SocketClose(
  TRY_AGAIN_LATER,
  'Client too slow. Reconnect and resume from your last cursor.',
);
