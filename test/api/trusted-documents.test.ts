import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { describeDemoOnBothDatabases, type Gateway, startGateway } from '../testkit/app.js';
import { makeFolder, recordedFolder } from '../testkit/documents-folder.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const WHO = 'query WhoAmI { viewer { name } }';
const EVENTS = 'query Events($n: Int!) { events(first: $n) { nodes { id } } }';
const CURSORS = 'query Cursors { events(first: 3) { edges { cursor } } }';
const FOLLOW = 'subscription Follow($after: String) { events(after: $after) { node { id } } }';
const CLONE =
  'mutation Clone { cloneFeature(input: { feature: "ghost", name: "x" }) { __typename } }';
const TWO = 'query Name { viewer { name } } query Kind { viewer { kind } }';
const FOREIGN = '{ viewer { kind } }';

const FOLDER = makeFolder({
  'who.graphql': WHO,
  'events.graphql': EVENTS,
  'cursors.graphql': CURSORS,
  'follow.graphql': FOLLOW,
  'clone.graphql': CLONE,
  'two.graphql': TWO,
});

const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

const searchOf = (parameters: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

/** A subscription by whatever names it, and its first result. */
const openStream = async (
  { url }: Gateway,
  method: 'GET' | 'POST',
  parameters: Record<string, unknown>,
) => {
  const ending = new AbortController();
  const isPost = method === 'POST';
  const response = await fetch(`${url}/graphql${isPost ? '' : `?${searchOf(parameters)}`}`, {
    method,
    headers: {
      accept: 'text/event-stream',
      authorization: DEMO_TOKENS.admin,
      ...(isPost && { 'content-type': 'application/json' }),
    },
    ...(isPost && { body: JSON.stringify(parameters) }),
    signal: ending.signal,
  });
  return {
    type: response.headers.get('content-type'),
    first: async () => {
      let text = '';
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        const [, data] = /^data: (\{.*)$/m.exec(text) ?? [];
        if (data === undefined || !text.includes(`${data}\n\n`)) continue;
        ending.abort();
        return JSON.parse(data);
      }
      throw new Error(`The stream ended without a result: ${text}`);
    },
  };
};

describeDemoOnBothDatabases(
  'trusted documents',
  ({ gateway, database }) => {
    let strict: Gateway;
    beforeAll(async () => {
      strict = await startGateway(database(), {
        TRUSTED_DOCUMENTS: FOLDER,
        TRUSTED_DOCUMENTS_ONLY: 'on',
      });
    });
    afterAll(() => strict.stop());

    const post = async (body: object, at = gateway()) => {
      const { status, body: answer } = await at.rest('/graphql', { body });
      return { status, ...answer };
    };
    const get = async (parameters: Record<string, unknown>, at = gateway()) => {
      const { status, body: answer } = await at.rest(`/graphql?${searchOf(parameters)}`);
      return { status, ...answer };
    };
    const both = () => [gateway(), strict];

    const FORMS: [string, Record<string, unknown>][] = [
      ["Apollo's and urql's hash", { extensions: persisted(sha256(WHO)) }],
      ['documentId with a hash', { documentId: sha256(WHO) }],
      ['documentId with the kind of its hash', { documentId: `sha256:${sha256(WHO)}` }],
      ['documentId with a name', { documentId: 'WhoAmI' }],
      ["Relay's doc_id", { doc_id: sha256(WHO), query: null }],
      ['id', { id: sha256(WHO) }],
      ['operationName alone', { operationName: 'WhoAmI' }],
      ['the text', { query: WHO }],
      ['the text with its hash', { query: WHO, extensions: persisted(sha256(WHO)) }],
    ];

    test.each(FORMS)('are asked for by %s, with POST and with GET', async (_form, parameters) => {
      for (const at of both()) {
        const answers = [
          await post(parameters, at),
          await get(
            Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null)),
            at,
          ),
        ];
        for (const answer of answers) {
          expect(answer).toEqual({ status: 200, data: { viewer: { name: 'demo-admin' } } });
        }
      }
    });

    test('take variables, and an operation of several by its name', async () => {
      for (const at of both()) {
        const { data } = await post({ documentId: 'Events', variables: { n: 2 } }, at);
        expect(data.events.nodes).toHaveLength(2);
        const more = await get({ documentId: sha256(EVENTS), variables: { n: 3 } }, at);
        expect(more.data.events.nodes).toHaveLength(3);
        const kind = await post({ documentId: sha256(TWO), operationName: 'Kind' }, at);
        expect(kind.data).toEqual({ viewer: { kind: 'ADMIN_TOKEN' } });
        const alone = await post({ documentId: 'Name' }, at);
        expect(alone.data).toEqual({ viewer: { name: 'demo-admin' } });
        const neither = await post({ documentId: sha256(TWO) }, at);
        expect([neither.status, neither.data]).toEqual([400, undefined]);
      }
    });

    test('that change something are not run by a GET', async () => {
      for (const at of both()) {
        expect((await get({ documentId: 'Clone' }, at)).status).toBe(405);
        expect((await post({ documentId: 'Clone' }, at)).data.cloneFeature.__typename).toBeTruthy();
      }
    });

    test('need a token like any other operation', async () => {
      for (const at of both()) {
        const { status } = await at.rest('/graphql', {
          body: { documentId: 'WhoAmI' },
          token: null,
        });
        expect(status).toBe(401);
      }
    });

    test.each(['POST', 'GET'] as const)('are followed live, with %s', async (method) => {
      for (const at of both()) {
        const { data } = await post({ documentId: 'Cursors' }, at);
        const after = data.events.edges.at(-1).cursor;
        const parameters = { documentId: sha256(FOLLOW), variables: { after } };
        const stream = await openStream(at, method, parameters);
        expect(stream.type).toContain('text/event-stream');
        expect(await stream.first()).toMatchObject({ data: { events: { node: {} } } });
      }
    });

    describe('that are not known', () => {
      const unknown = sha256('{ never }');

      test('by their hash are asked for with the text, in the words that clients wait for', async () => {
        for (const answer of [
          await post({ extensions: persisted(unknown) }),
          await get({ extensions: persisted(unknown) }),
        ]) {
          expect(answer).toMatchObject({
            status: 400,
            errors: [
              {
                message: 'PersistedQueryNotFound',
                extensions: {
                  code: 'PERSISTED_QUERY_NOT_FOUND',
                  name: 'BadDataError',
                  id: expect.any(String),
                  hint: expect.stringContaining('Send the text of the operation'),
                },
              },
            ],
          });
          expect(answer).not.toHaveProperty('data');
        }
      });

      test.each([{ documentId: unknown }, { doc_id: 'x' }, { operationName: 'Nobody' }])(
        'by %o are refused with what to do next',
        async (parameters) => {
          const { status, errors } = await post(parameters);
          expect(status).toBe(400);
          expect(errors[0].message).toContain('Send the text of the operation');
          expect(errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
        },
      );

      test('are an ordinary query where the text comes with its hash', async () => {
        const body = { query: FOREIGN, extensions: persisted(sha256(FOREIGN)) };
        expect(await post(body)).toEqual({
          status: 200,
          data: { viewer: { kind: 'ADMIN_TOKEN' } },
        });
      });

      test('tell a client that there are none at all, where there is no folder', async () => {
        const plain = await startGateway(database());
        const { status, errors } = await post({ extensions: persisted(unknown) }, plain);
        expect([status, errors[0].message, errors[0].extensions.code]).toEqual([
          400,
          'PersistedQueryNotSupported',
          'PERSISTED_QUERY_NOT_SUPPORTED',
        ]);
        expect((await post({ operationName: 'WhoAmI' }, plain)).errors[0].message).toBe(
          'Must provide query string.',
        );
        await plain.stop();
      });
    });

    test.each([
      ['another hash', { query: WHO, extensions: persisted(sha256(FOREIGN)) }],
      ['the hash of another known document', { query: WHO, documentId: sha256(EVENTS) }],
      ['the name of another known document', { query: WHO, documentId: 'Events' }],
      ['an id nobody knows', { query: WHO, id: '17' }],
    ])('a text with %s is refused', async (_what, parameters) => {
      for (const at of both()) {
        for (const { status, errors, data } of [
          await post(parameters, at),
          await get(parameters, at),
        ]) {
          expect([status, data]).toEqual([400, undefined]);
          expect(errors[0].extensions.code).toBe('PERSISTED_QUERY_HASH_MISMATCH');
          expect(errors[0].message).toMatch(/The text is not the document .* Send the one or/);
        }
      }
    });

    test.each([
      { extensions: { persistedQuery: {} } },
      { extensions: { persistedQuery: 7 } },
      { extensions: { persistedQuery: { version: 2, sha256Hash: sha256(WHO) } } },
      { extensions: { persistedQuery: { version: 1, sha256Hash: 7 } } },
      { documentId: 7 },
      { documentId: { $ne: null } },
      { documentId: 'WhoAmI', id: 'Events' },
      { documentId: 'Events', extensions: persisted(sha256(WHO)) },
    ])('asked for as %o are refused', async (parameters) => {
      for (const at of both()) {
        const { status, errors } = await post(parameters, at);
        expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
      }
    });

    describe('alone', () => {
      test.each([
        FOREIGN,
        '{ __schema { queryType { name } } }',
        '{ __typename }',
        'query WhoAmI { viewer { name kind } }',
        `${WHO} `,
        'subscription { events { cursor } }',
        '{ nonsense',
        '',
      ])('leave no room for %o', async (query) => {
        for (const token of [undefined, null]) {
          const { status, body } = await strict.rest('/graphql', {
            body: { query },
            ...(token === null && { token }),
          });
          expect([status, body.data]).toEqual([400, undefined]);
          expect(body.errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
          expect(body.errors[0].message).toContain('Have it added to the folder');
        }
        if (query !== '') {
          const answer = await get({ query }, strict);
          expect([answer.status, answer.errors[0].extensions.code]).toEqual([
            400,
            'QUERY_NOT_IN_SAFELIST',
          ]);
        }
      });

      test('leave no room for subscriptions of others', async () => {
        for (const method of ['GET', 'POST'] as const) {
          const query = 'subscription { events { cursor } }';
          const stream = await openStream(strict, method, { query });
          const { errors } = await stream.first();
          expect(errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
        }
      });

      test('leave no room for a text in the address of a POST, nor for several', async () => {
        const search = searchOf({ query: FOREIGN });
        const hidden = await strict.rest(`/graphql?${search}`, { body: { documentId: 'WhoAmI' } });
        expect(hidden.body.data).toEqual({ viewer: { name: 'demo-admin' } });
        const twice = await strict.rest(`/graphql?${searchOf({ query: WHO })}&${search}`);
        expect(twice.body.data).toEqual({ viewer: { name: 'demo-admin' } });
        const list = await strict.rest('/graphql', { body: [{ query: FOREIGN }] });
        expect([list.status, list.body.data]).toEqual([400, undefined]);
      });

      test('refuse a hash nobody knows, without making clients repeat it', async () => {
        for (const parameters of [
          { extensions: persisted(sha256(FOREIGN)) },
          { documentId: 'Nobody' },
          { operationName: 'Nobody' },
        ]) {
          const { status, errors } = await post(parameters, strict);
          expect([status, errors[0].extensions.code]).toEqual([400, 'PERSISTED_QUERY_NOT_IN_LIST']);
          expect(errors[0].message).toMatch(
            /No trusted document goes by .*Have the document added/,
          );
        }
        const body = { query: FOREIGN, extensions: persisted(sha256(FOREIGN)) };
        expect((await post(body, strict)).errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
      });

      test('have no GraphiQL', async () => {
        const answer = await strict.rest('/graphql', { headers: { accept: 'text/html' } });
        expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
      });
    });

    test.each([
      ['codegen-sha1', '262f39d1e8ed68fc7832b2c52a9aff09e383743f'],
      ['codegen-sha256', 'sha256:4145a2f0705d12a931781aaabc6ab2fb408271b2ee28df289b9bbb2c5eb2add3'],
      ['apollo', 'a767585c8257d14a67e22083cdb7379b353aceb28cdee17e441682744019b3e9'],
      ['relay', 'cc07fc7ab4f25fb4e3f97acfa628c1e4'],
    ] as const)('that %s found in a client are answered', async (tool, id) => {
      const at = await startGateway(database(), {
        TRUSTED_DOCUMENTS: recordedFolder(tool),
        TRUSTED_DOCUMENTS_ONLY: 'on',
      });
      for (const parameters of [{ documentId: id }, { extensions: persisted(id) }]) {
        const { data } = await post({ ...parameters, variables: { first: 2 } }, at);
        expect(data.events.nodes).toHaveLength(2);
      }
      await at.stop();
    });
  },
  { TRUSTED_DOCUMENTS: FOLDER },
);
