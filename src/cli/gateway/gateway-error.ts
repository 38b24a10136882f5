import { toPlainLine } from '../../domain/plain-line.js';

type ResponseError = { message?: unknown; extensions?: { code?: unknown } };

/** Why a gateway returned no usable response. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The gateway's error code, if any. */
  readonly code: string | null;
  /** Whether a retry may help. */
  readonly isTransient: boolean;

  constructor(message: string, { code = null as string | null, isTransient = false } = {}) {
    super(message);
    this.code = code;
    this.isTransient = isTransient;
  }
}

/** Whether the request is invalid, so that a retry would be rejected again. */
export const isBadInput = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'BAD_USER_INPUT';

/** Errors that may be gone on a retry. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'INTERNAL_SERVER_ERROR',
  'MAINTENANCE_MODE',
  'OVERLOADED',
  'TIMEOUT',
]);

/** The first error of a response. Its text comes from the network and must be sanitized for a terminal. */
export const firstErrorOf = (errors: readonly unknown[]): GatewayError => {
  const { message, extensions } = (errors[0] ?? {}) as ResponseError;
  const code = typeof extensions?.code === 'string' ? extensions.code : null;
  const reason = typeof message === 'string' ? toPlainLine(message) : 'no reason given.';
  return new GatewayError(`The gateway returned an error: ${reason}`, {
    code,
    isTransient: code !== null && TRANSIENT_CODES.has(code),
  });
};

/** A connection failure, with the system's reason. */
export const unreachable = (url: string, error: unknown): GatewayError => {
  const { origin } = new URL(url);
  return new GatewayError(`The gateway at ${origin} cannot be reached: ${reasonOf(error)}.`, {
    isTransient: true,
  });
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
};
