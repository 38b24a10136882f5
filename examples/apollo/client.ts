import { ApolloClient, HttpLink } from '@apollo/client';
import { createCache } from '@flaggraph/client/apollo';
import { sseClient } from '@flaggraph/client/live/sse';
import { headers, url } from '../shared/gateway.js';

export const apollo = new ApolloClient({
  cache: createCache(),
  link: new HttpLink({ uri: url, headers }),
});

export const live = sseClient({ url, headers });
