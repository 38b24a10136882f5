import { createYoga, type Plugin } from 'graphql-yoga';
import type { Actor } from '../domain/actor.js';
import type { DomainError } from '../domain/errors.js';
import type { Operations } from '../domain/operations.js';
import type { Tally } from '../domain/rows.js';
import type { Metrics } from '../observability/metrics.js';
import type { PluginClient } from './builder.js';
import { createContext } from './context.js';
import { createMaskError } from './errors.js';
import { executeOperation } from './execute-operation.js';
import { schema } from './schema/index.js';
import { certainRootRule, createSubscribe } from './subscribe.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { useTrustedDocuments } from './trusted-documents/use-trusted-documents.js';
import { useAccess } from './use-access.js';
import { useCost } from './use-cost.js';
import { useOperationLimits } from './use-operation-limits.js';
import { useOperationMetrics } from './use-operation-metrics.js';
import { useStatus } from './use-status.js';

export type GraphqlDependencies = {
  client: PluginClient;
  operations: Operations;
  reportError: (error: unknown) => DomainError;
  /** Operations that can be asked for without their text. Default none. */
  documents?: TrustedDocuments | undefined;
  /** Told of every operation that ran; by default nobody is. */
  operationRan?: Metrics['operationRan'];
};

/** Yoga's own executor answers fields in the order in which they are ready, not in that of the query. */
const useReferenceExecutor = (subscribe: ReturnType<typeof createSubscribe>): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(executeOperation),
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  onValidate: ({ addValidationRule }) => addValidationRule(certainRootRule),
});

export type Caller = {
  /** Null for nobody in particular. */
  actor: Actor | null;
  /** Settles anew who calls; by default nothing changes. */
  renewActor?: () => Promise<Actor>;
  /** Aborted when nobody waits for the answer any more; by default somebody always does. */
  signal?: AbortSignal;
  /** What the database was asked for so far, where the caller wants to know. */
  tally?: Tally | undefined;
};

const NEVER = new AbortController().signal;

/** GraphQL over HTTP; who calls is settled before. */
export const createGraphqlServer = ({
  client,
  operations,
  reportError,
  documents,
  operationRan,
}: GraphqlDependencies) => {
  const contextFor = (actor: Actor, renewActor = async () => actor, signal = NEVER) =>
    createContext(client, operations, { actor, renewActor, signal });

  return createYoga<Caller>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    logging: false,
    maskedErrors: { maskError: createMaskError(reportError) },
    // Without an actor nothing but introspection runs, and that needs no context: see use-access.ts.
    context: ({ actor, renewActor, signal }) =>
      actor ? contextFor(actor, renewActor, signal) : {},
    plugins: [
      useTrustedDocuments(documents),
      useReferenceExecutor(createSubscribe(contextFor)),
      useCost(),
      useAccess(),
      useOperationLimits(),
      useStatus(),
      ...(operationRan ? [useOperationMetrics(operationRan)] : []),
    ],
  });
};

export type GraphqlServer = ReturnType<typeof createGraphqlServer>;
