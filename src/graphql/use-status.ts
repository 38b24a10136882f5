import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { statusOf } from './errors.js';

/** GraphQL over HTTP lets callers who ask for plain JSON by name have 200 for whatever the operation gets wrong. */
const expectsOk = (request: Request): boolean =>
  /application\/json/i.test(request.headers.get('accept') ?? '');

/** An answer that holds nothing but errors has the status the same failure has in REST. */
export const useStatus = (): Plugin => ({
  onResultProcess({ request, result, setResult }) {
    const { data, errors, extensions } = result as ExecutionResult;
    if (!errors || (data !== null && data !== undefined)) return;
    const status = statusOf(errors) ?? (expectsOk(request) ? undefined : 400);
    if (status === undefined) return;
    setResult({
      ...(result as ExecutionResult),
      extensions: {
        ...extensions,
        http: { status, ...(status === 503 && { headers: { 'retry-after': '1' } }) },
      },
    } as ExecutionResult);
  },
});
