import type { CombinedError } from '@urql/core';
import { isFromGateway } from './connection.js';

/** A failed request, as far as a reader is concerned. */
export type Problem =
  | { kind: 'offline' }
  | { kind: 'signed-out'; message: string }
  | { kind: 'forbidden'; message: string }
  | { kind: 'busy'; message: string; retryAfterMs: number }
  | { kind: 'invalid'; message: string }
  | { kind: 'failed'; message: string; id: string | null };

const BUSY = new Set(['RATE_LIMITED', 'OVERLOADED', 'SERVICE_UNAVAILABLE', 'TIMEOUT']);

const retryAfterOf = (response: unknown): number => {
  const header = response instanceof Response ? response.headers.get('retry-after') : null;
  return (Number(header) || 1) * 1_000;
};

/** No response, or one that is not of GraphQL. */
const withoutAnswer = (response: unknown): Problem =>
  response instanceof Response && isFromGateway(response)
    ? { kind: 'failed', message: `The gateway answered with status ${response.status}.`, id: null }
    : { kind: 'offline' };

export const problemOf = (error: CombinedError): Problem => {
  const [first] = error.graphQLErrors;
  if (first === undefined) return withoutAnswer(error.response);
  const { message, extensions } = first;
  const code = String(extensions['code'] ?? '');
  if (code === 'UNAUTHENTICATED') return { kind: 'signed-out', message };
  if (code === 'FORBIDDEN') return { kind: 'forbidden', message };
  if (BUSY.has(code)) return { kind: 'busy', message, retryAfterMs: retryAfterOf(error.response) };
  if (code === 'BAD_USER_INPUT') return { kind: 'invalid', message };
  return {
    kind: 'failed',
    message,
    id: typeof extensions['id'] === 'string' ? extensions['id'] : null,
  };
};
