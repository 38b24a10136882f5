import { execute, subscribe } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Actor } from '../domain/actor.js';
import type { DomainError } from '../domain/errors.js';
import type { Operations } from '../domain/operations.js';
import type { PluginClient } from './builder.js';
import { createContext } from './context.js';
import { createMaskError } from './errors.js';
import { schema } from './schema/index.js';
import { useAccess } from './use-access.js';
import { useOperationLimits } from './use-operation-limits.js';
import { useStatus } from './use-status.js';

export type GraphqlDependencies = {
  client: PluginClient;
  operations: Operations;
  reportError: (error: unknown) => DomainError;
};

/** Yoga's own executor answers fields in the order in which they are ready, not in that of the query. */
const useReferenceExecutor = (): Plugin => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
});

/** GraphQL over HTTP; who calls is settled before, and `actor` is null for nobody in particular. */
export const createGraphqlServer = ({ client, operations, reportError }: GraphqlDependencies) =>
  createYoga<{ actor: Actor | null }>({
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
    context: ({ actor }) => (actor ? createContext(client, operations, actor) : {}),
    plugins: [useReferenceExecutor(), useAccess(), useOperationLimits(), useStatus()],
  });

export type GraphqlServer = ReturnType<typeof createGraphqlServer>;
