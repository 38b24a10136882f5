import type { Actor } from '../domain/actor.js';
import type { Operations } from '../domain/operations.js';
import type { Loaders } from '../domain/rows.js';
import type { Bounds } from './bound-fields.js';
import type { PluginClient } from './builder.js';
import { createPageLoaders, type PageLoaders } from './page-loaders.js';

/** Created for each request. */
export type Context = {
  actor: Actor;
  /** When the request arrived: one request sees one end of the last period. */
  now: Date;
  operations: Operations;
  loaders: Loaders;
  pages: PageLoaders;
  /** Authenticates the token again, for long-running operations. */
  renewActor: () => Promise<Actor>;
  /** Aborted when no client waits for the answer any more. */
  signal: AbortSignal;
  /** For the Prisma plugin only: resolvers call operations and loaders. */
  client: PluginClient;
} & Bounds;

export const createContext = (
  client: PluginClient,
  operations: Operations,
  { actor, renewActor, signal }: Pick<Context, 'actor' | 'renewActor' | 'signal'>,
): Context => {
  const loaders = operations.createLoaders(actor);
  return {
    actor,
    now: new Date(),
    renewActor,
    signal,
    operations,
    loaders,
    pages: createPageLoaders(operations, actor, loaders),
    client,
  };
};
