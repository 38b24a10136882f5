import { createYoga, type Plugin } from 'graphql-yoga';
import type { Actor } from '../domain/actor.js';
import type { DomainError } from '../domain/errors.js';
import type { Operations } from '../domain/operations.js';
import type { Usage } from '../domain/work.js';
import type { Call } from '../http/call.js';
import type { Metrics } from '../observability/metrics.js';
import type { PluginClient } from './builder.js';
import { createContext } from './context.js';
import { createMaskError } from './errors.js';
import { executeOperation } from './execute-operation.js';
import { schemaFor } from './schema/index.js';
import { createSubscribe, noConditionalRootRule } from './subscribe.js';
import type { TrustedDocuments } from './trusted-documents/trusted-documents.js';
import { useTrustedDocuments } from './trusted-documents/use-trusted-documents.js';
import { useAccess } from './use-access.js';
import { useCost } from './use-cost.js';
import { createDocumentCache } from './use-document-cache.js';
import { useOperationLimits } from './use-operation-limits.js';
import { useOperationMetrics } from './use-operation-metrics.js';
import { useStatus } from './use-status.js';

export type GraphqlDependencies = {
  client: PluginClient;
  operations: Operations;
  /** Whether the graph has the fields for routers. Default: no. */
  federation?: boolean;
  reportError: (error: unknown) => DomainError;
  /** Operations that can be requested without their text. Default: none. */
  documents?: TrustedDocuments | undefined;
  /** Called for every operation that ran. */
  operationRan?: Metrics['operationRan'];
  /** Called for every document that the cache evicts. */
  onEvict?: () => void;
};

/** Yoga's own executor returns fields in the order in which they are ready, not in that of the query. */
const useReferenceExecutor = (subscribe: ReturnType<typeof createSubscribe>): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(executeOperation),
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
  onValidate: ({ addValidationRule }) => addValidationRule(noConditionalRootRule),
});

export type Caller = {
  /** Null for anonymous callers. */
  actor: Actor | null;
  /** Authenticates the caller again. Default: the actor stays the same. */
  renewActor?: () => Promise<Actor>;
  /** Aborted when no client waits for the answer any more. Default: never. */
  signal?: AbortSignal;
  /** Database usage so far, if the caller requested it. */
  usage?: Usage | undefined;
  /** The request this belongs to; absent if nothing is charged or logged. */
  call?: Call;
};

const NEVER = new AbortController().signal;

/** GraphQL over HTTP, for callers that are already authenticated. */
export const createGraphqlServer = ({
  client,
  operations,
  federation = false,
  reportError,
  documents,
  operationRan,
  onEvict,
}: GraphqlDependencies) => {
  const contextFor = (actor: Actor, renewActor = async () => actor, signal = NEVER) =>
    createContext(client, operations, { actor, renewActor, signal });

  return createYoga<Caller>({
    schema: schemaFor({ federation }),
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    multipart: false,
    logging: false,
    // Yoga's own cache keeps the texts of rejected documents, and limits only their number.
    parserAndValidationCache: false,
    maskedErrors: { maskError: createMaskError(reportError) },
    // Without an actor only introspection runs, which needs no context: see use-access.ts.
    context: ({ actor, renewActor, signal }) =>
      actor ? contextFor(actor, renewActor, signal) : {},
    plugins: [
      createDocumentCache({ ...(onEvict && { onEvict }) }).plugin,
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
