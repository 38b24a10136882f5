import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { createClient as createSse } from 'graphql-sse';
import possibleTypes from '../generated/possible-types.js';

const ENDPOINT = '/graphql';

/** Subscriptions use server-sent events, one connection each. */
const createTailLink = (headers: Record<string, string>) => {
  // use-tail.ts reconnects interrupted subscriptions from their last cursor.
  const sse = createSse({ url: ENDPOINT, headers, retryAttempts: 0 });
  return new ApolloLink(
    ({ query, variables, operationName }) =>
      new Observable((sink) =>
        sse.subscribe<ApolloLink.Result['data'] & Record<string, unknown>>(
          { query: print(query), variables, ...(operationName && { operationName }) },
          {
            next: (value) => sink.next(value as ApolloLink.Result),
            error: (error) => sink.error(error),
            complete: () => sink.complete(),
          },
        ),
      ),
  );
};

export const createApollo = (token: string) => {
  const headers = { authorization: token };
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      createTailLink(headers),
      new HttpLink({ uri: ENDPOINT, headers }),
    ),
    cache: new InMemoryCache({
      possibleTypes: possibleTypes.possibleTypes,
      typePolicies: {
        Query: { fields: { events: relayStylePagination(['filter']) } },
        Feature: { keyFields: ['name'] },
      },
    }),
  });
};
