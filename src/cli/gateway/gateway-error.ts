import { toPlainLine } from '../events/plain-line.js';

type Told = { message?: unknown; extensions?: { code?: unknown } };

/** Why a gateway gave no answer that can be used. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** The gateway's own word for the reason, if it gave one. */
  readonly code: string | null;
  /** Whether trying again may help. */
  readonly isPassing: boolean;

  constructor(message: string, { code = null as string | null, isPassing = false } = {}) {
    super(message);
    this.code = code;
    this.isPassing = isPassing;
  }
}

/** Whether what was asked is wrong, so that asking it again would be refused again. */
export const isBadInput = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'BAD_USER_INPUT';

/** Reasons that a later try may not find any more. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'INTERNAL_SERVER_ERROR',
  'MAINTENANCE_MODE',
  'OVERLOADED',
  'TIMEOUT',
]);

/** The first of the errors in an answer; what it says came over the network and is no text for a terminal yet. */
export const refusalOf = (errors: readonly unknown[]): GatewayError => {
  const { message, extensions } = (errors[0] ?? {}) as Told;
  const code = typeof extensions?.code === 'string' ? extensions.code : null;
  const told = typeof message === 'string' ? toPlainLine(message) : 'no reason was given.';
  return new GatewayError(`The gateway refuses: ${told}`, {
    code,
    isPassing: code !== null && PASSING_CODES.has(code),
  });
};

/** A failure to reach somebody, in the words of the system. */
export const unreachable = (url: string, error: unknown): GatewayError => {
  const { origin } = new URL(url);
  return new GatewayError(`The gateway at ${origin} cannot be reached: ${reasonOf(error)}.`, {
    isPassing: true,
  });
};

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
};
