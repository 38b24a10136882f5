import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, cacheExchange, fetchExchange, gql as urqlGql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { expect, onTestFinished, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { recordedFolder } from '../../testkit/documents-folder.js';

const LATEST = `query LatestEvents($first: Int!) { events(first: $first) { totalCount nodes { ...EventLine } } }
  fragment EventLine on Event { id label }`;
const VIEWER = 'query WhoAmI { viewer { name } }';
const FOREIGN = 'query Foreign { viewer { kind } }';

const HEADERS = { authorization: DEMO_TOKENS.admin };

type Sent = { method: string; hasText: boolean; hasHash: boolean };

/** The real fetch, which records the requests. */
const createFetch = () => {
  const sent: Sent[] = [];
  const record: typeof fetch = (input, init) => {
    const url = new URL(String(input));
    const body = init?.body ? JSON.parse(String(init.body)) : Object.fromEntries(url.searchParams);
    const extensions =
      typeof body.extensions === 'string' ? body.extensions : JSON.stringify(body.extensions ?? {});
    sent.push({
      method: init?.method ?? 'GET',
      hasText: Boolean(body.query),
      hasHash: extensions.includes('sha256Hash'),
    });
    return fetch(input, init);
  };
  return { fetch: record, sent };
};

const HASH = { hasText: false, hasHash: true };
const HASH_AND_TEXT = { hasText: true, hasHash: true };
const TEXT = { hasText: true, hasHash: false };

const createApollo = (uri: string, useGETForHashedQueries = false) => {
  const { fetch, sent } = createFetch();
  const client = new ApolloClient({
    link: new PersistedQueryLink({
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      useGETForHashedQueries,
    }).concat(new HttpLink({ uri, headers: HEADERS, fetch })),
    cache: new InMemoryCache(),
    defaultOptions: { query: { fetchPolicy: 'no-cache' } },
  });
  const runQuery = (text: string, variables = {}) => client.query({ query: gql(text), variables });
  return { ask: runQuery, sent };
};

/** GraphQL Code Generator writes the hash into each document; here it is looked up by name. */
const codegenHashes = (tool: 'codegen-sha1' | 'codegen-sha256') => {
  const manifest: Record<string, string> = JSON.parse(
    readFileSync(`${recordedFolder(tool)}/persisted.json`, 'utf8'),
  );
  return async (text: string) => {
    const name = /query (\w+)/.exec(text)?.[1] ?? '';
    const [hash] =
      Object.entries(manifest).find(([, other]) => other.includes(`query ${name}`)) ?? [];
    return hash ?? createHash('sha256').update(text).digest('hex');
  };
};

const createUrql = (url: string, generateHash?: (text: string) => Promise<string>) => {
  const { fetch, sent } = createFetch();
  const client = new Client({
    url,
    preferGetMethod: false,
    fetch,
    fetchOptions: { headers: HEADERS },
    requestPolicy: 'network-only',
    exchanges: [
      cacheExchange,
      persistedExchange(generateHash ? { generateHash } : {}),
      fetchExchange,
    ],
  });
  const runQuery = (text: string, variables = {}) =>
    client.query(urqlGql(text), variables).toPromise();
  return { ask: runQuery, sent };
};

describeWithDemo('with persisted documents', ({ gateway, database }) => {
  const start = async (folder: string, only = false) => {
    const { url, stop } = await startGateway(database(), {
      TRUSTED_DOCUMENTS: folder,
      ...(only && { TRUSTED_DOCUMENTS_ONLY: 'on' }),
    });
    onTestFinished(stop);
    return `${url}/graphql`;
  };

  test.each([false, true])(
    'Apollo Client sends the hashes of its manifest (only trusted documents allowed: %s)',
    async (only) => {
      const url = await start(recordedFolder('apollo'), only);
      for (const [useGet, method] of [
        [false, 'POST'],
        [true, 'GET'],
      ] as const) {
        const { ask: runQuery, sent } = createApollo(url, useGet);
        const { data } = await runQuery(LATEST, { first: 2 });
        expect(data).toMatchObject({ events: { nodes: [{}, {}] } });
        await runQuery(VIEWER);
        expect(sent).toEqual([
          { method, ...HASH },
          { method, ...HASH },
        ]);
      }
    },
  );

  test('Apollo Client sends the text of an unknown document, and continues with hashes', async () => {
    const { ask: runQuery, sent } = createApollo(await start(recordedFolder('apollo')), true);
    expect((await runQuery(FOREIGN)).data).toMatchObject({ viewer: { kind: 'ADMIN_TOKEN' } });
    await runQuery(VIEWER);
    expect(sent).toEqual([
      { method: 'GET', ...HASH },
      { method: expect.any(String), ...HASH_AND_TEXT },
      { method: 'GET', ...HASH },
    ]);
  });

  test('Apollo Client sends a rejected document once, gets the reason, and continues with hashes', async () => {
    const { ask: runQuery, sent } = createApollo(await start(recordedFolder('apollo'), true));
    const error = await runQuery(FOREIGN).catch((error: unknown) => error);
    expect(String(error)).toContain('is not a trusted document');
    expect(CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.['code']).toBe(
      'PERSISTED_QUERY_NOT_IN_LIST',
    );
    await runQuery(VIEWER);
    expect(sent).toEqual([
      { method: 'POST', ...HASH },
      { method: 'POST', ...HASH },
    ]);
  });

  test('Apollo Client sends no hashes without trusted documents', async () => {
    const { ask: runQuery, sent } = createApollo(`${gateway().url}/graphql`);
    await runQuery(VIEWER);
    await runQuery(VIEWER);
    expect(sent).toEqual([
      { method: 'POST', ...HASH },
      { method: 'POST', ...TEXT },
      { method: 'POST', ...TEXT },
    ]);
  });

  test.each(['codegen-sha1', 'codegen-sha256'] as const)(
    'urql sends the hashes of %s, whether or not other documents are allowed',
    async (tool) => {
      for (const only of [false, true]) {
        const url = await start(recordedFolder(tool), only);
        const { ask: runQuery, sent } = createUrql(url, codegenHashes(tool));
        const { data, error } = await runQuery(LATEST, { first: 2 });
        expect(error).toBeUndefined();
        expect(data).toMatchObject({ events: { nodes: [{}, {}] } });
        await runQuery(VIEWER);
        expect(sent).toEqual([
          { method: 'GET', ...HASH },
          { method: 'GET', ...HASH },
        ]);
      }
    },
  );

  test('urql sends the text of an unknown document, and continues with hashes', async () => {
    const tool = 'codegen-sha256';
    const { ask: runQuery, sent } = createUrql(
      await start(recordedFolder(tool)),
      codegenHashes(tool),
    );
    expect((await runQuery(FOREIGN)).data).toMatchObject({ viewer: { kind: 'ADMIN_TOKEN' } });
    await runQuery(VIEWER);
    expect(sent).toEqual([
      { method: 'GET', ...HASH },
      { method: expect.any(String), ...HASH_AND_TEXT },
      { method: 'GET', ...HASH },
    ]);
  });

  test('urql sends a rejected document once and gets the reason', async () => {
    const tool = 'codegen-sha256';
    const { ask: runQuery, sent } = createUrql(
      await start(recordedFolder(tool), true),
      codegenHashes(tool),
    );
    const { data, error } = await runQuery(FOREIGN);
    expect(data).toBeUndefined();
    expect(error?.graphQLErrors[0]?.extensions['code']).toBe('PERSISTED_QUERY_NOT_IN_LIST');
    expect(error?.message).toContain('is not a trusted document');
    expect(sent).toEqual([{ method: 'GET', ...HASH }]);
  });

  test('urql sends no hashes without trusted documents', async () => {
    const { ask: runQuery, sent } = createUrql(`${gateway().url}/graphql`);
    for (const _ of [1, 2]) {
      expect((await runQuery(VIEWER)).data).toMatchObject({ viewer: { name: 'demo-admin' } });
    }
    expect(sent.map(({ hasHash }) => hasHash)).toEqual([true, false, false]);
  });

  test('requests of Relay return data', async () => {
    const url = await start(recordedFolder('relay'), true);
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...HEADERS, 'content-type': 'application/json' },
      body: JSON.stringify({
        doc_id: 'cc07fc7ab4f25fb4e3f97acfa628c1e4',
        query: null,
        variables: { first: 1 },
      }),
    });
    expect(await response.json()).toMatchObject({ data: { events: { nodes: [{}] } } });
  });
});
