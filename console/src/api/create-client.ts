import { keys, schema } from '@flaggraph/client/graphcache/index.js';
import {
  type Client,
  createClient as createUrqlClient,
  type Exchange,
  fetchExchange,
  mapExchange,
} from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { persistedExchange } from '@urql/exchange-persisted';
import { hashes } from '../generated/hashes.js';
import { readToken } from '../session/token.js';
import { endpoint } from '../settings.js';
import { recordingFetch } from './connection.js';

const headersOf = (token: string): Record<string, string> =>
  token === '' ? {} : { authorization: token };

export const requestHeaders = () => headersOf(readToken());

const byHash = () =>
  persistedExchange({
    // Hashes are part of the build: browsers compute them on secure origins only.
    generateHash: async (_text, document) => {
      const operation = document.definitions.find((node) => node.kind === 'OperationDefinition');
      return hashes[operation?.name?.value ?? ''] ?? '';
    },
    enforcePersistedQueries: true,
    preferGetForPersistedQueries: false,
    enableForMutation: true,
  });

/** The cache would take a field that failed for one that does not exist, on every screen. */
const withoutPartialData = () =>
  mapExchange({ onResult: (result) => (result.error ? { ...result, data: undefined } : result) });

const clientWith = (caches: readonly Exchange[]): Client =>
  createUrqlClient({
    url: endpoint,
    preferGetMethod: false,
    fetch: recordingFetch,
    fetchOptions: () => ({ headers: requestHeaders(), credentials: 'same-origin' }),
    exchanges: [...caches, withoutPartialData(), byHash(), fetchExchange],
  });

/** One client for each identity: what one caller may see must not stay for the next one. */
export const createClient = (): Client => clientWith([cacheExchange({ keys, schema })]);

/** Without a cache, for lists that can have thousands of rows. */
export const createUncachedClient = (): Client => clientWith([]);
