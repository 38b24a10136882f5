import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Actor } from '../domain/actor.js';
import type { Usage } from '../domain/work.js';
import type { Call } from '../http/call.js';
import { writeJson } from '../http/write-json.js';
import { codeOf } from './errors.js';
import type { Written } from './execute-operation.js';
import type { GraphqlServer } from './graphql-server.js';
import { asParseError, readOperationRequest } from './operation-request.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { completeResult } from './use-status.js';

export type SentSubscription = {
  parameters: unknown;
  actor: Actor;
  /** Authenticates the caller again. */
  renewActor: () => Promise<Actor>;
  signal: AbortSignal;
  usage?: Usage | undefined;
  call: Call;
};

/** One result of a subscription. */
export type LiveResult = {
  json: string;
  /** Code of the first error. */
  errorCode: string | undefined;
};

export type LiveResults = AsyncIterator<LiveResult>;

type Stream = AsyncIterable<ExecutionResult>;

const isStream = (result: Stream | ExecutionResult): result is Stream =>
  Symbol.asyncIterator in result;

/** Starts subscriptions with Yoga's plugins, for transports that Yoga does not speak. Returns errors if one is rejected. */
export const createSubscriptionRunner = (
  server: GraphqlServer,
  maskError: (error: unknown) => Error,
  documents?: TrustedDocuments,
) => {
  const toLive = (result: ExecutionResult): LiveResult => {
    const { shown } = completeResult(result, undefined);
    const { stringify = writeJson } = result as Partial<Written>;
    return { json: stringify(shown), errorCode: result.errors && codeOf(result.errors) };
  };
  const start = async (sent: SentSubscription): Promise<Stream | ExecutionResult> => {
    const { parameters, ...caller } = sent;
    const params = readOperationRequest(parameters, documents);
    const { query, variables, operationName } = params;
    const { parse, validate, contextFactory, subscribe, schema } = server.getEnveloped({
      ...caller,
      params,
    } as never);
    const document = parse(query);
    const invalid = validate(schema, document) as GraphQLError[];
    if (invalid.length > 0) return { errors: invalid };
    const contextValue = await contextFactory();
    return subscribe({
      schema,
      document,
      operationName,
      variableValues: variables ?? {},
      contextValue,
    });
  };

  return async (sent: SentSubscription): Promise<LiveResults | readonly GraphQLError[]> => {
    const reject = (result: ExecutionResult): readonly GraphQLError[] =>
      completeResult(result, undefined).shown.errors ?? [];
    let result: Stream | ExecutionResult;
    try {
      result = await start(sent);
    } catch (error) {
      return reject({ errors: [maskError(asParseError(error)) as GraphQLError] });
    }
    if (!isStream(result)) return reject(result);
    const source = result[Symbol.asyncIterator]();
    return {
      next: async () => {
        const { done, value } = await source.next();
        return done ? { done, value: undefined } : { done: false, value: toLive(value) };
      },
      return: async () => {
        await source.return?.();
        return { done: true, value: undefined };
      },
    };
  };
};
