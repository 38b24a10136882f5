import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AuthenticationRequired, NoAccessError, RateLimitError } from '../domain/errors.js';
import type { Authenticate } from './authenticate.js';
import type { Caller, Credentials } from './caller.js';

export type AuthFailureReason =
  | 'no_credentials'
  | 'invalid_cookie'
  | 'unknown_token'
  | 'unknown_session'
  | 'no_access'
  | 'rate_limited';

type Options = {
  /** Counts failures per client address. `take` returns 0 if there is room for one more. Null: no limit. */
  failures: {
    take(key: string, points: number): number;
    refund(key: string, points: number): void;
  } | null;
  /** Groups client addresses. Default: the address itself. */
  networkOf?: (ip: string | null) => string;
  onFailure?: (reason: AuthFailureReason) => void;
};

/** Credentials that were valid before always pass, because the address may be a proxy shared with other clients. */
const MAX_KNOWN = 10_000;
const RETRY_AFTER_SECONDS = 5;

const fingerprintOf = ({ kind, value }: Credentials): string =>
  hash('sha256', `${kind} ${value}`, 'base64url');

/** Why a caller could not be authenticated. Only for the operator: a client could probe for valid cookies. */
export const rejectionOf = ({ credentials, hasCookie }: Caller): AuthFailureReason => {
  if (credentials === null) return hasCookie ? 'invalid_cookie' : 'no_credentials';
  return credentials.kind === 'token' ? 'unknown_token' : 'unknown_session';
};

const reasonOf = (error: unknown, caller: Caller): AuthFailureReason | null => {
  if (error instanceof NoAccessError) return 'no_access';
  return error instanceof AuthenticationRequired ? rejectionOf(caller) : null;
};

export type LimitedAuthenticate = {
  authenticate: Authenticate;
  /** Fingerprint of credentials that were valid when last used. Null for all others. */
  recognize(caller: Pick<Caller, 'credentials'>): string | null;
};

/** Rejects unknown credentials from an address with too many failures, without reading the database. */
export const limitFailures = (
  authenticate: Authenticate,
  { failures, onFailure = () => undefined, networkOf = (ip) => ip ?? 'unknown' }: Options,
): LimitedAuthenticate => {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });

  const authenticateWithin: Authenticate = async (caller) => {
    const { credentials, ip } = caller;
    const address = networkOf(ip);
    const fingerprint = credentials && fingerprintOf(credentials);
    // Counted before the lookup, or a burst would pass as a whole.
    const isCounted = fingerprint !== null && !known.has(fingerprint);
    if (isCounted && failures && failures.take(address, 1) > 0) {
      onFailure('rate_limited');
      throw new RateLimitError(
        'Too many failed authentications from your address. Retry later with valid credentials.',
        RETRY_AFTER_SECONDS,
      );
    }
    try {
      const actor = await authenticate(caller);
      if (fingerprint !== null) known.set(fingerprint, true);
      if (isCounted) failures?.refund(address, 1);
      return actor;
    } catch (error) {
      const reason = reasonOf(error, caller);
      if (reason) {
        onFailure(reason);
        if (fingerprint !== null) known.delete(fingerprint);
      }
      const isFailure = reason !== null && credentials !== null;
      if (isFailure && !isCounted) failures?.take(address, 1);
      if (!isFailure && isCounted) failures?.refund(address, 1);
      throw error;
    }
  };

  return {
    authenticate: authenticateWithin,
    recognize: ({ credentials }) => {
      const fingerprint = credentials && fingerprintOf(credentials);
      return fingerprint !== null && known.has(fingerprint) ? fingerprint : null;
    },
  };
};
