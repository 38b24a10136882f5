import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql';
import type { Actor } from '../domain/actor.js';
import { createSharedReads } from '../domain/shared-reads.js';
import { allowReplica, type Usage } from '../domain/work.js';
import type { JsonType } from '../http/accepted-types.js';
import type { Call } from '../http/call.js';
import type { HttpResponse } from '../http/send.js';
import { writeJson } from '../http/write-json.js';
import type { Written } from './execute-operation.js';
import type { GraphqlServer } from './graphql-server.js';
import { asParseError, operationTypeOf, readOperationRequest } from './operation-request.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { assessOperation, describeOperation } from './use-operation-limits.js';
import { completeResult } from './use-status.js';

export type SentOperation = {
  isGet: boolean;
  /** Parameters as sent, in the body or in the URL. */
  parameters: unknown;
  /** Identifies equal requests. */
  text: string;
  accept: string | undefined;
  mediaType: JsonType;
  /** Null for anonymous callers. */
  actor: Actor | null;
  usage?: Usage | undefined;
  call: Call;
};

export type OperationResponse = HttpResponse & {
  /** False if the operation was rejected before it ran. */
  hasData: boolean;
};

/** Longer requests are not compared with those in flight. */
const MAX_SHARED_LENGTH = 65_536;

/**
 * Runs queries and mutations with Yoga's plugins but without its requests and responses, which cost more than the rest
 * of a small operation. Null for subscriptions, which Yoga sends as a stream.
 */
export const createOperationRunner = (
  server: GraphqlServer,
  maskError: (error: unknown) => Error,
  documents?: TrustedDocuments,
) => {
  const reads = createSharedReads();

  /** Null for a subscription. Throws if the operation cannot run. */
  const prepare = ({ isGet, parameters, actor, usage, call }: SentOperation) => {
    const request = readOperationRequest(parameters, documents);
    const { query, variables, operationName } = request;
    const context = { actor, usage, call, params: request, assessment: undefined as unknown };
    const { parse, validate, contextFactory, execute, schema } = server.getEnveloped(
      context as never,
    );
    const document = tryOrThrow(() => parse(query), asParseError);
    const type = operationTypeOf(document, request, isGet);
    if (type === OperationTypeNode.SUBSCRIPTION) return null;
    const invalid = validate(schema, document) as GraphQLError[];
    const args = { schema, document, operationName, variableValues: variables ?? {} };
    return {
      type,
      invalid,
      /** Every caller is charged, even one that shares the response of another. */
      charge: () => {
        const assessment = assessOperation({ ...args, contextValue: context });
        context.assessment = assessment;
        describeOperation(call, args, assessment.cost);
        call.charge(assessment.points);
      },
      run: async (): Promise<ExecutionResult> =>
        execute({ ...args, contextValue: await contextFactory() }),
    };
  };

  return async (sent: SentOperation): Promise<OperationResponse | null> => {
    const { accept, mediaType, actor, call, text } = sent;
    const toResponse = (result: ExecutionResult): OperationResponse => {
      const { status, headers, errorCode, shown } = completeResult(result, accept);
      const { stringify = writeJson } = result as Partial<Written>;
      return {
        status,
        headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers },
        body: Buffer.from(stringify(shown)),
        errorCode,
        hasData: result.data !== undefined,
      };
    };
    const toFailure = (error: unknown) =>
      toResponse({ errors: [maskError(error) as GraphQLError] });

    let operation: ReturnType<typeof prepare>;
    try {
      operation = call.timed(() => prepare(sent));
    } catch (error) {
      return toFailure(error);
    }
    if (operation === null) return null;
    const { type, invalid, charge, run } = operation;
    if (invalid.length > 0) return toResponse({ errors: invalid });
    call.timed(charge);
    if (type === OperationTypeNode.QUERY) allowReplica();
    const respond = () => call.inTurn(() => run().then(toResponse, toFailure));
    const isShared = type === OperationTypeNode.QUERY && text.length <= MAX_SHARED_LENGTH;
    if (!isShared) return respond();
    const key = [actor?.identity ?? null, accept ?? null, text];
    return reads.share(JSON.stringify(key), respond);
  };
};

const tryOrThrow = <Result>(work: () => Result, toError: (error: unknown) => unknown): Result => {
  try {
    return work();
  } catch (error) {
    throw toError(error);
  }
};
