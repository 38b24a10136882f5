import { type Exchange, makeOperation, mapExchange } from '@urql/core';
import type { DocumentNode } from 'graphql';
import { addIds } from '../add-ids.js';

/** Requests `id` of every object that has one. Goes before `cacheExchange`. */
export const idsExchange: Exchange = mapExchange({
  onOperation: (operation) =>
    makeOperation(operation.kind, {
      ...operation,
      query: addIds(operation.query as DocumentNode) as typeof operation.query,
    }),
});
