import { ApolloClient, HttpLink } from '@apollo/client';
import { createCache } from '@flaggraph/client/apollo';
import { CloneFeatureDocument, type CloneFeatureMutation } from '@flaggraph/client/documents';
import { idsExchange, keys, resolvers, schema } from '@flaggraph/client/graphcache';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo } from '../../testkit/app.js';
import { expectSilence } from './console-spy.js';

type Clone = (input: {
  featureName: string;
  newName: string;
}) => Promise<CloneFeatureMutation | undefined>;
type Create = (url: string, token: string) => Clone;

const withApollo: Create = (url, token) => {
  const link = new HttpLink({ uri: `${url}/graphql`, headers: { authorization: token } });
  const apollo = new ApolloClient({ cache: createCache(), link });
  return async (input) =>
    (await apollo.mutate({ mutation: CloneFeatureDocument, variables: { input } })).data ??
    undefined;
};

const withUrql: Create = (url, token) => {
  const urql = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: token } },
    exchanges: [idsExchange, cacheExchange({ keys, resolvers, schema }), fetchExchange],
  });
  return async (input) => (await urql.mutation(CloneFeatureDocument, { input })).data;
};

describeWithDemo('a rejected clone', ({ gateway }) => {
  expectSilence();

  test.each([
    ['Apollo Client', withApollo],
    ['urql', withUrql],
  ])('shows its message with %s', async (_name, create) => {
    const clone = create(gateway().url, DEMO_TOKENS.admin);
    const taken = await clone({ featureName: 'welcome-tour', newName: 'checkout-one-page' });
    expect(taken?.cloneFeature).toMatchObject({ __typename: 'NameExistsError', archived: false });
    expect(taken?.cloneFeature).toHaveProperty(
      'message',
      expect.stringContaining('checkout-one-page'),
    );
    const missing = await clone({ featureName: 'no-such-feature', newName: 'a-copy' });
    expect(missing?.cloneFeature).toMatchObject({
      __typename: 'NotFoundError',
      message: expect.stringContaining('no-such-feature'),
    });
  });
});
