import { idsExchange, keys, resolvers, schema } from '@flaggraph/client/graphcache';
import { sseClient } from '@flaggraph/client/live/sse';
import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange } from 'urql';
import { headers, url } from '../shared/gateway.js';

export const urql = new Client({
  url,
  preferGetMethod: false,
  fetchOptions: { headers },
  exchanges: [idsExchange, cacheExchange({ keys, resolvers, schema }), fetchExchange],
});

export const live = sseClient({ url, headers });
