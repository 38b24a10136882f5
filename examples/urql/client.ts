import { Client, fetchExchange } from 'urql';

/** urql speaks server-sent events itself: subscriptions need nothing more. */
export const createUrql = (token: string) =>
  new Client({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: token } },
    fetchSubscriptions: true,
    exchanges: [fetchExchange],
  });
