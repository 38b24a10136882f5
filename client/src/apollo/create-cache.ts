import { InMemoryCache, type InMemoryCacheConfig } from '@apollo/client/cache';
import type { DocumentNode } from 'graphql';
import { addIds } from '../add-ids.js';
import { possibleTypes } from '../generated/possible-types.js';
import { typePolicies } from './type-policies.js';

class Cache extends InMemoryCache {
  override transformDocument(document: DocumentNode): DocumentNode {
    return super.transformDocument(addIds(document));
  }
}

/**
 * Apollo's cache, configured for every type of the graph. It requests `id` of every object that has one, whether a query
 * selects it or not. Type policies in `config` are added to those of this package, type by type.
 */
export const createCache = (config: InMemoryCacheConfig = {}): InMemoryCache => {
  const cache = new Cache({
    ...config,
    possibleTypes: { ...possibleTypes, ...config.possibleTypes },
    typePolicies,
  });
  if (config.typePolicies) cache.policies.addTypePolicies(config.typePolicies);
  return cache;
};
