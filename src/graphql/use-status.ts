import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { completeError, statusOf } from './errors.js';

/** GraphQL over HTTP lets callers who ask for plain JSON by name have 200 for whatever the operation gets wrong. */
const expectsOk = (accept: string | undefined): boolean => /application\/json/i.test(accept ?? '');

/** The gravest of the errors decides; one of GraphQL itself counts only where the caller does not expect 200. */
const statusFor = (accept: string | undefined, errors: readonly GraphQLError[]): number =>
  statusOf(errors) ?? (expectsOk(accept) ? 200 : 400);

/** Those that belong to an error, as the methods that are allowed do to one that is not. */
const ownHeaders = (errors: readonly GraphQLError[]): Record<string, string> =>
  Object.assign({}, ...errors.map(({ extensions }) => extensions.http?.headers));

export type JudgedResult = {
  status: number;
  headers: Record<string, string>;
  /** What the caller is shown. */
  shown: ExecutionResult;
};

/** Every error has an id and a name, and an answer that holds nothing but errors the status it would have in REST. */
export const judgeErrors = (result: ExecutionResult, accept: string | undefined): JudgedResult => {
  const { data, errors } = result;
  if (!errors) return { status: 200, headers: {}, shown: result };
  const status = data === null || data === undefined ? statusFor(accept, errors) : 200;
  return {
    status,
    headers: { ...ownHeaders(errors), ...(status === 503 && { 'retry-after': '1' }) },
    shown: { ...result, errors: errors.map(completeError) },
  };
};

export const useStatus = (): Plugin => ({
  onResultProcess({ request, result, setResult }) {
    const { errors, extensions } = result as ExecutionResult;
    if (!errors) return;
    const accept = request.headers.get('accept') ?? undefined;
    const { status, headers, shown } = judgeErrors(result as ExecutionResult, accept);
    setResult({ ...shown, extensions: { ...extensions, http: { status, headers } } });
  },
});
