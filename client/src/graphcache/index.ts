import type {
  CacheExchangeOpts,
  KeyingConfig,
  Resolver,
  ResolverConfig,
} from '@urql/exchange-graphcache';
import { idOf } from '../entity-keys.js';
import { schema } from '../generated/introspection.js';
import { connectionFields, embedded, entities } from '../generated/schema-facts.js';
import { connectionResolver } from './connection-resolver.js';

export { idsExchange } from './ids-exchange.js';
export { connectionResolver, schema };

/** Entities by their `id`; everything else belongs to the field that returned it. */
export const keys: KeyingConfig = Object.fromEntries([
  ...entities.map((name) => [
    name,
    (data: Record<string, unknown>) => idOf(name, (field) => data[field]) ?? null,
  ]),
  ...embedded.map((name) => [name, () => null]),
]);

export const resolvers: ResolverConfig = Object.fromEntries(
  Object.entries(connectionFields).map(([typename, fields]) => [
    typename,
    Object.fromEntries(fields.map((name): [string, Resolver] => [name, connectionResolver])),
  ]),
);

/** Options for `cacheExchange`. */
export const cacheOptions: Pick<CacheExchangeOpts, 'keys' | 'resolvers' | 'schema'> = {
  keys,
  resolvers,
  schema,
};
