import type { GraphQLError } from 'graphql';
import type { Authenticate } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import { requestCost } from '../domain/cost.js';
import { ExceedsLimitError } from '../domain/errors.js';
import { countBody, type Work } from '../domain/work.js';
import type { Call } from '../http/call.js';
import { excessOfRequest, OPERATION_LIMITS } from './document-limits.js';
import { completeError, createMaskError, toGraphQLError } from './errors.js';
import {
  assertLength,
  GRAPHQL_RESPONSE,
  type GraphqlHandlerDependencies,
  PARSED_FACTOR,
} from './handler.js';
import { createOperationRunner, type OperationResponse } from './run-operation.js';
import { createSubscriptionRunner, type LiveResults } from './run-subscription.js';

/** What happens to an operation that was sent over a WebSocket. */
export type SocketOutcome =
  | { kind: 'response'; response: OperationResponse }
  | { kind: 'live'; results: LiveResults }
  | { kind: 'rejected'; errors: readonly GraphQLError[] };

export type SocketRequest = {
  payload: Record<string, unknown>;
  /** Length of the message. */
  length: number;
  caller: Caller;
  call: Call;
  work: Work;
};

type Dependencies = Pick<GraphqlHandlerDependencies, 'server' | 'reportError' | 'documents'> & {
  authenticate: Authenticate;
};

/** Some clients send an empty text with the ID of a trusted document. */
const withoutEmptyText = ({ query, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  query === '' ? rest : { query, ...rest };

/** Runs operations under the rules of HTTP: each is authenticated, charged and limited like a POST. */
export const createSocketOperations = ({
  server,
  authenticate,
  reportError,
  documents,
}: Dependencies) => {
  const maskError = createMaskError(reportError);
  const runOperation = createOperationRunner(server, maskError, documents);
  const subscribe = createSubscriptionRunner(server, maskError, documents);

  const run = async ({
    payload,
    length,
    caller,
    call,
    work,
  }: SocketRequest): Promise<SocketOutcome> => {
    await call.throttle();
    const identify = () => authenticate(caller);
    const actor = await identify();
    call.identify(actor);
    call.charge(requestCost(length));
    countBody(length * PARSED_FACTOR);
    const excess = excessOfRequest(payload);
    if (excess !== null) throw new ExceedsLimitError(excess, OPERATION_LIMITS.variableValues);
    await call.start();
    assertLength(payload['query']);
    const parameters = withoutEmptyText(payload);
    const usage = work.isMeasured ? work.usage : undefined;
    const response = await runOperation({
      isGet: false,
      parameters,
      text: JSON.stringify(parameters),
      accept: GRAPHQL_RESPONSE,
      mediaType: GRAPHQL_RESPONSE,
      actor,
      usage,
      call,
    });
    if (response) return { kind: 'response', response };
    const { signal } = work;
    const started = await call.inTurn(() =>
      subscribe({ parameters, actor, renewActor: identify, signal, usage, call }),
    );
    return 'next' in started
      ? { kind: 'live', results: started }
      : { kind: 'rejected', errors: started };
  };

  return {
    run,
    /** The errors of an operation that failed before GraphQL was involved. */
    toErrors: (error: unknown): readonly GraphQLError[] => [
      completeError(toGraphQLError(reportError(error))),
    ],
  };
};

export type SocketOperations = ReturnType<typeof createSocketOperations>;
