import {
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import type { Actor } from '../domain/actor.js';
import { isObject } from '../domain/json.js';
import { createSharedReads } from '../domain/shared-reads.js';
import type { Usage } from '../domain/work.js';
import type { Call as RequestCall } from '../http/call.js';
import type { HttpResponse } from '../http/send.js';
import { writeJson } from '../http/write-json.js';
import type { Written } from './execute-operation.js';
import type { GraphqlServer } from './graphql-server.js';
import { resolveDocument } from './trusted-documents/resolve-document.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { assessOperation, describeOperation } from './use-operation-limits.js';
import { completeResult } from './use-status.js';

type Parameters = {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
};

type Call = {
  body: { text: string; value: unknown };
  accept: string | undefined;
  actor: Actor;
  usage?: Usage | undefined;
  call: RequestCall;
};

const PARAMETERS: readonly string[] = ['query', 'variables', 'operationName', 'extensions'];
const MEDIA_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
]);

const isAbsent = (value: unknown) => value === undefined || value === null;

/** Null unless the request has the common form; Yoga handles all others. */
const readParameters = (
  body: unknown,
  documents: TrustedDocuments | undefined,
): Parameters | null => {
  const resolved = isObject(body) ? tryOrNull(() => resolveDocument(documents, body)) : null;
  if (!resolved || !Object.keys(resolved).every((key) => PARAMETERS.includes(key))) return null;
  const { query, variables, operationName, extensions } = resolved;
  const isPlain =
    typeof query === 'string' &&
    (isAbsent(variables) || isObject(variables)) &&
    (isAbsent(operationName) || typeof operationName === 'string') &&
    (isAbsent(extensions) || isObject(extensions));
  return isPlain ? (resolved as Parameters) : null;
};

/** Longer requests are not compared with those in flight. */
const MAX_SHARED_LENGTH = 65_536;

/**
 * Runs an ordinary query or mutation with Yoga's plugins but without its requests and responses, which cost more than
 * the rest of a small operation. Null for everything else, decided before anything runs.
 */
export const createFastPath = (
  server: GraphqlServer,
  maskError: (error: unknown) => Error,
  documents?: TrustedDocuments,
) => {
  const reads = createSharedReads();

  return async ({ body, accept, actor, usage, call }: Call): Promise<HttpResponse | null> => {
    const mediaType = MEDIA_TYPES.get(accept);
    const parameters = readParameters(body.value, documents);
    if (!mediaType || !parameters) return null;
    const { query, variables, operationName } = parameters;

    const toResponse = (result: ExecutionResult): HttpResponse => {
      const { status, headers, errorCode, shown } = completeResult(result, accept);
      const { stringify = writeJson } = result as Partial<Written>;
      return {
        status,
        headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers },
        body: Buffer.from(stringify(shown)),
        errorCode,
      };
    };
    const context = { actor, usage, call, params: parameters, assessment: undefined as unknown };
    const { parse, validate, contextFactory, execute, schema } = server.getEnveloped(
      context as never,
    );
    const document = tryOrNull(() => parse(query));
    if (!document) return null;
    const invalid = validate(schema, document) as GraphQLError[];
    if (invalid.length > 0) return toResponse({ errors: invalid });
    const operation = getOperationAST(document, operationName);
    if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return null;

    // Every caller is charged, even one that shares the answer of another.
    const args = { schema, document, operationName, variableValues: variables ?? {} };
    const assessment = assessOperation({ ...args, contextValue: context });
    context.assessment = assessment;
    describeOperation(call, args, assessment.cost);
    call.charge(assessment.points);

    const run = async (): Promise<ExecutionResult> =>
      execute({
        schema,
        document,
        contextValue: await contextFactory(),
        variableValues: variables ?? {},
        operationName,
      });
    const respondInTurn = () => call.inTurn(respond);
    const respond = async (): Promise<HttpResponse> =>
      toResponse(
        await run().catch((error: unknown) => ({ errors: [maskError(error) as GraphQLError] })),
      );
    const isShared =
      operation.operation === OperationTypeNode.QUERY && body.text.length <= MAX_SHARED_LENGTH;
    if (!isShared) return respondInTurn();
    return reads.share(JSON.stringify([actor.identity, accept, body.text]), respondInTurn);
  };
};

/** Yoga rejects the same request again, with an error for the client. */
const tryOrNull = <Result>(work: () => Result): Result | null => {
  try {
    return work();
  } catch {
    return null;
  }
};
