import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { completeError, statusOf } from './errors.js';

/** GraphQL over HTTP lets callers who ask for plain JSON by name have 200 for whatever the operation gets wrong. */
const expectsOk = (request: Request): boolean =>
  /application\/json/i.test(request.headers.get('accept') ?? '');

/** The gravest of the errors decides; one of GraphQL itself counts only where the caller does not expect 200. */
const statusFor = (request: Request, errors: readonly GraphQLError[]): number | undefined =>
  statusOf(errors) ?? (expectsOk(request) ? undefined : 400);

/** Every error has an id and a name, and an answer that holds nothing but errors the status it would have in REST. */
export const useStatus = (): Plugin => ({
  onResultProcess({ request, result, setResult }) {
    const { data, errors, extensions } = result as ExecutionResult;
    if (!errors) return;
    const complete = { ...(result as ExecutionResult), errors: errors.map(completeError) };
    const status = data === null || data === undefined ? statusFor(request, errors) : undefined;
    if (status === undefined) {
      setResult(complete);
      return;
    }
    const http = { status, ...(status === 503 && { headers: { 'retry-after': '1' } }) };
    setResult({ ...complete, extensions: { ...extensions, http } });
  },
});
