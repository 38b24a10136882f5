import type { IncomingMessage } from 'node:http';
import { CloseCode } from 'graphql-ws';
import type { Authenticate } from './auth/authenticate.js';
import { type Caller, readCaller } from './auth/caller.js';
import { type LimitedAuthenticate, rejectionOf } from './auth/limit-failures.js';
import type { DomainError } from './domain/errors.js';
import { type ByteBudget, createWork, endWork, runAs } from './domain/work.js';
import type { Call } from './http/call.js';
import type { Forwarded } from './http/forwarded.js';
import type { ReportError } from './http/report-error.js';
import { isSameOrigin } from './http/same-origin.js';
import { SocketClose, TRY_AGAIN_LATER } from './http/websocket/socket-close.js';

type Options = {
  request: IncomingMessage;
  forwarded: Forwarded;
  /** Aborted when the connection is closed. */
  signal: AbortSignal;
  sessionSecret: string | undefined;
  budget: ByteBudget;
  createCall: (onIdentified: (owner: string) => void) => Call;
  authenticate: Authenticate;
  recognize: LimitedAuthenticate['recognize'];
  reportError: ReportError;
};

/** What a client of a WebSocket has sent to authenticate itself, and the result. */
export type SocketClient = {
  readonly caller: Caller;
  /** Its calls use this share. Null until the client is authenticated. */
  owner(): string | null;
  /** A call of the client, recognized by its credentials. */
  createCall(): Call;
  /** Reads the credentials of connection_init and verifies them. Rejects with a SocketClose. */
  connect(payload: Record<string, unknown>): Promise<void>;
  /** Rejects with a SocketClose if the credentials are no longer valid. */
  verify(): Promise<void>;
  readonly facts: Call['facts'];
};

const CODES: Readonly<Partial<Record<DomainError['name'], number>>> = {
  AuthenticationRequired: CloseCode.Unauthorized,
  NoAccessError: CloseCode.Forbidden,
  RateLimitError: TRY_AGAIN_LATER,
  OverloadedError: TRY_AGAIN_LATER,
  TimeoutError: TRY_AGAIN_LATER,
};

const NO_TOKEN = "Authentication required: send 'Authorization' with a token in connection_init.";

const tokenOf = (payload: Record<string, unknown>): string | undefined =>
  ['Authorization', 'authorization', 'token']
    .map((name) => payload[name])
    .find((value) => typeof value === 'string' && value.trim() !== '') as string | undefined;

export const createSocketClient = ({
  request,
  forwarded: { ip, host },
  signal,
  sessionSecret,
  budget,
  createCall,
  authenticate,
  recognize,
  reportError,
}: Options): SocketClient => {
  const callerOf = (payload: Record<string, unknown>): Caller => {
    const { headers } = request;
    return readCaller(
      { ...headers, authorization: tokenOf(payload) ?? headers.authorization },
      // A WebSocket can change data, so a cookie is accepted as for a POST.
      { sessionSecret, isSameOrigin: isSameOrigin({ method: 'POST', headers }, host), ip },
    );
  };
  let caller = callerOf({});
  let owner: string | null = null;
  let facts: Call['facts'] = {};

  const newCall = (): Call => {
    const call = createCall((identity) => {
      owner ??= identity;
    });
    const fingerprint = recognize(caller);
    if (fingerprint !== null) call.recognize(fingerprint);
    else if (caller.credentials !== null) call.queueAs('credentials');
    return call;
  };
  const verify = async (): Promise<void> => {
    const work = createWork(signal, { budget });
    try {
      await runAs(work, async () => {
        const call = newCall();
        await call.takeTurn(signal);
        call.identify(await authenticate(caller));
        facts = call.facts;
      });
    } catch (error) {
      const known = reportError(error);
      if (known.name === 'AuthenticationRequired') facts.authFailure = rejectionOf(caller);
      const message = caller.credentials === null ? NO_TOKEN : known.message;
      throw new SocketClose(CODES[known.name] ?? CloseCode.InternalServerError, message);
    } finally {
      endWork(work);
    }
  };

  return {
    get caller() {
      return caller;
    },
    get facts() {
      return facts;
    },
    owner: () => owner,
    createCall: newCall,
    connect: (payload) => {
      caller = callerOf(payload);
      return verify();
    },
    verify,
  };
};
