import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Call } from '../http/call.js';
import { codeOf, completeError, statusOf } from './errors.js';

/** By GraphQL over HTTP, clients that prefer plain JSON may get 200 even if the operation is invalid. */
const expectsOk = (accept = ''): boolean => {
  const [preferred] = /application\/(graphql-response\+)?json/i.exec(accept) ?? [];
  return preferred?.toLowerCase() === 'application/json';
};

/** The highest status of the errors decides; GraphQL's own errors count only if the client does not expect 200. */
const statusFor = (accept: string | undefined, errors: readonly GraphQLError[]): number =>
  statusOf(errors) ?? (expectsOk(accept) ? 200 : 400);

/** Headers that belong to an error, such as the allowed methods. */
const ownHeaders = (errors: readonly GraphQLError[]): Record<string, string> =>
  Object.assign({}, ...errors.map(({ extensions }) => extensions.http?.headers));

export type ResultWithStatus = {
  status: number;
  headers: Record<string, string>;
  /** Of the first error. */
  errorCode: string | undefined;
  /** The result that the client receives. */
  shown: ExecutionResult;
};

/** Every error gets an ID and a name, and a response with nothing but errors gets the status it would have in REST. */
export const completeResult = (
  result: ExecutionResult,
  accept: string | undefined,
): ResultWithStatus => {
  const { data, errors } = result;
  if (!errors) return { status: 200, headers: {}, errorCode: undefined, shown: result };
  const status = data === null || data === undefined ? statusFor(accept, errors) : 200;
  return {
    status,
    headers: { ...ownHeaders(errors), ...(status === 503 && { 'retry-after': '1' }) },
    errorCode: codeOf(errors),
    shown: { ...result, errors: errors.map(completeError) },
  };
};

export const useStatus = (): Plugin => ({
  onResultProcess({ request, result, setResult, serverContext }) {
    const { errors, extensions } = result as ExecutionResult;
    if (!errors) return;
    const { call } = serverContext as { call?: Call };
    const code = codeOf(errors);
    if (call && code !== undefined) call.facts.errorCode = code;
    const accept = request.headers.get('accept') ?? undefined;
    const { status, headers, shown } = completeResult(result as ExecutionResult, accept);
    setResult({ ...shown, extensions: { ...extensions, http: { status, headers } } });
  },
});
