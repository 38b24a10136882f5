type Details = {
  /** Error code, as in `extensions.code`, if the gateway sent one. */
  code?: string | undefined;
  /** HTTP status, or the close code of a WebSocket. */
  status?: number | undefined;
  /** Whether another attempt can succeed. */
  isTemporary: boolean;
  /** Seconds to wait, if the gateway said so. */
  retryAfter?: number | undefined;
  cause?: unknown;
};

const TEMPORARY_CODES = new Set([
  'INTERNAL_SERVER_ERROR',
  'MAINTENANCE_MODE',
  'OVERLOADED',
  'RATE_LIMITED',
  'TIMEOUT',
]);

/** Why a live stream ended or could not be opened. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly isTemporary: boolean;
  readonly retryAfter: number | undefined;

  constructor(message: string, { code, status, isTemporary, retryAfter, cause }: Details) {
    super(message, { cause });
    this.code = code;
    this.status = status;
    this.isTemporary = isTemporary;
    this.retryAfter = retryAfter;
  }
}

type GraphqlError = { message: string; extensions?: Record<string, unknown> | undefined };

/** An error of a GraphQL response. Without a code, another attempt cannot help. */
export const fromGraphqlError = (
  { message, extensions }: GraphqlError,
  details: Partial<Details> = {},
): LiveError => {
  const code = typeof extensions?.['code'] === 'string' ? extensions['code'] : undefined;
  const isTemporary = code !== undefined && TEMPORARY_CODES.has(code);
  return new LiveError(message, { code, isTemporary, ...details });
};

/** A connection that failed for an unknown reason, such as a network error: worth another attempt. */
export const toLiveError = (error: unknown): LiveError => {
  if (error instanceof LiveError) return error;
  if (Array.isArray(error) && error.length > 0) return fromGraphqlError(error[0] as GraphqlError);
  const message = error instanceof Error ? error.message : 'The connection failed.';
  return new LiveError(message, { isTemporary: true, cause: error });
};
