import { Client, fetchExchange } from 'urql';

/** urql supports server-sent events itself: subscriptions need no other package. */
export const createUrql = (token: string) =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: token } },
    fetchSubscriptions: true,
    exchanges: [fetchExchange],
  });
