import { type DomainError, RateLimitError } from '../domain/errors.js';

/** The Retry-After header of errors worth retrying. */
export const retryHeader = (error: DomainError): Record<string, string> => {
  if (error instanceof RateLimitError) return { 'retry-after': String(error.retryAfterSeconds) };
  return error.name === 'OverloadedError' ? { 'retry-after': '1' } : {};
};
