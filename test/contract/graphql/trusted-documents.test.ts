import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type Gateway, startGateway } from '../../testkit/app.js';
import { makeFolder, recordedFolder } from '../../testkit/documents-folder.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const VIEWER = 'query WhoAmI { viewer { name } }';
const EVENTS = 'query Events($n: Int!) { events(first: $n) { nodes { id } } }';
const CURSORS = 'query Cursors { events(first: 3) { edges { cursor } } }';
const FOLLOW = 'subscription Follow($after: String) { events(after: $after) { node { id } } }';
const CLONE =
  'mutation Clone { cloneFeature(input: { featureName: "ghost", newName: "x" }) { __typename } }';
const TWO = 'query Name { viewer { name } } query Kind { viewer { kind } }';
const FOREIGN = '{ viewer { kind } }';

const FOLDER = makeFolder({
  'who.graphql': VIEWER,
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

/** Opens a subscription and returns its first result. */
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
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const [, data] = /^data: (\{.*)$/m.exec(text) ?? [];
        if (data === undefined || !text.includes(`${data}\n\n`)) continue;
        ending.abort();
        return JSON.parse(data);
      }
      throw new Error(`The stream ended without a result: ${text}`);
    },
  };
};

describeWithDemo(
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
      const { status, body: response } = await at.rest('/graphql', { body });
      return { status, ...response };
    };
    const get = async (parameters: Record<string, unknown>, at = gateway()) => {
      const { status, body: response } = await at.rest(`/graphql?${searchOf(parameters)}`);
      return { status, ...response };
    };
    const both = () => [gateway(), strict];

    const FORMS: [string, Record<string, unknown>][] = [
      ["Apollo's and urql's hash", { extensions: persisted(sha256(VIEWER)) }],
      ['documentId with a hash', { documentId: sha256(VIEWER) }],
      ['documentId with the kind of its hash', { documentId: `sha256:${sha256(VIEWER)}` }],
      ['documentId with a name', { documentId: 'WhoAmI' }],
      ["Relay's doc_id", { doc_id: sha256(VIEWER), query: null }],
      ['id', { id: sha256(VIEWER) }],
      ['operationName alone', { operationName: 'WhoAmI' }],
      ['the text', { query: VIEWER }],
      ['the text with its hash', { query: VIEWER, extensions: persisted(sha256(VIEWER)) }],
    ];

    test.each(FORMS)('are selected by %s, with POST and with GET', async (_form, parameters) => {
      for (const at of both()) {
        const responses = [
          await post(parameters, at),
          await get(
            Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null)),
            at,
          ),
        ];
        for (const response of responses) {
          expect(response).toEqual({ status: 200, data: { viewer: { name: 'demo-admin' } } });
        }
      }
    });

    test('accept variables, and an operation name when there are several', async () => {
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

    test('with mutations are rejected by GET', async () => {
      for (const at of both()) {
        expect((await get({ documentId: 'Clone' }, at)).status).toBe(405);
        expect((await post({ documentId: 'Clone' }, at)).data.cloneFeature.__typename).toBeTruthy();
      }
    });

    test('require a token like any other operation', async () => {
      for (const at of both()) {
        const { status } = await at.rest('/graphql', {
          body: { documentId: 'WhoAmI' },
          token: null,
        });
        expect(status).toBe(401);
      }
    });

    test.each(['POST', 'GET'] as const)('support subscriptions, with %s', async (method) => {
      for (const at of both()) {
        const { data } = await post({ documentId: 'Cursors' }, at);
        const after = data.events.edges.at(-1).cursor;
        const parameters = { documentId: sha256(FOLLOW), variables: { after } };
        const stream = await openStream(at, method, parameters);
        expect(stream.type).toContain('text/event-stream');
        expect(await stream.first()).toMatchObject({ data: { events: { node: {} } } });
      }
    });

    describe('that are unknown', () => {
      const unknown = sha256('{ never }');

      test('return PersistedQueryNotFound for a hash, as clients expect', async () => {
        for (const response of [
          await post({ extensions: persisted(unknown) }),
          await get({ extensions: persisted(unknown) }),
        ]) {
          expect(response).toMatchObject({
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
          expect(response).not.toHaveProperty('data');
        }
      });

      test.each([{ documentId: unknown }, { doc_id: 'x' }, { operationName: 'Nobody' }])(
        'by %o are rejected with advice',
        async (parameters) => {
          const { status, errors } = await post(parameters);
          expect(status).toBe(400);
          expect(errors[0].message).toContain('Send the text of the operation');
          expect(errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND');
        },
      );

      test('are ordinary queries when sent with their hash', async () => {
        const body = { query: FOREIGN, extensions: persisted(sha256(FOREIGN)) };
        expect(await post(body)).toEqual({
          status: 200,
          data: { viewer: { kind: 'ADMIN_TOKEN' } },
        });
      });

      test('return PersistedQueryNotSupported when there is no folder', async () => {
        const plain = await startGateway(database());
        const { status, errors } = await post({ extensions: persisted(unknown) }, plain);
        expect([status, errors[0].message, errors[0].extensions.code]).toEqual([
          400,
          'PersistedQueryNotSupported',
          'PERSISTED_QUERY_NOT_SUPPORTED',
        ]);
        const withoutText = await post({ operationName: 'WhoAmI' }, plain);
        expect([withoutText.status, withoutText.errors[0].extensions.code]).toEqual([
          400,
          'BAD_REQUEST',
        ]);
        await plain.stop();
      });
    });

    test.each([
      ['another hash', { query: VIEWER, extensions: persisted(sha256(FOREIGN)) }],
      ['the hash of another known document', { query: VIEWER, documentId: sha256(EVENTS) }],
      ['the name of another known document', { query: VIEWER, documentId: 'Events' }],
      ['an unknown ID', { query: VIEWER, id: '17' }],
    ])('reject a text with %s', async (_title, parameters) => {
      for (const at of both()) {
        for (const { status, errors, data } of [
          await post(parameters, at),
          await get(parameters, at),
        ]) {
          expect([status, data]).toEqual([400, undefined]);
          expect(errors[0].extensions.code).toBe('PERSISTED_QUERY_HASH_MISMATCH');
          expect(errors[0].message).toMatch(/The text differs from the document .* Send only one/);
        }
      }
    });

    test.each([
      { extensions: { persistedQuery: {} } },
      { extensions: { persistedQuery: 7 } },
      { extensions: { persistedQuery: { version: 2, sha256Hash: sha256(VIEWER) } } },
      { extensions: { persistedQuery: { version: 1, sha256Hash: 7 } } },
      { documentId: 7 },
      { documentId: { $ne: null } },
      { documentId: 'WhoAmI', id: 'Events' },
      { documentId: 'Events', extensions: persisted(sha256(VIEWER)) },
    ])('reject malformed parameters: %o', async (parameters) => {
      for (const at of both()) {
        const { status, errors } = await post(parameters, at);
        expect([status, errors[0].extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
      }
    });

    describe('with TRUSTED_DOCUMENTS_ONLY', () => {
      test.each([
        FOREIGN,
        '{ __schema { queryType { name } } }',
        '{ __typename }',
        'query WhoAmI { viewer { name kind } }',
        `${VIEWER} `,
        'subscription { events { cursor } }',
        '{ nonsense',
        '',
      ])('exclude %o', async (query) => {
        for (const token of [undefined, null]) {
          const { status, body } = await strict.rest('/graphql', {
            body: { query },
            ...(token === null && { token }),
          });
          expect([status, body.data]).toEqual([400, undefined]);
          expect(body.errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
          expect(body.errors[0].message).toContain('Add it to the folder');
        }
        if (query !== '') {
          const response = await get({ query }, strict);
          expect([response.status, response.errors[0].extensions.code]).toEqual([
            400,
            'QUERY_NOT_IN_SAFELIST',
          ]);
        }
      });

      test('exclude other subscriptions', async () => {
        for (const method of ['GET', 'POST'] as const) {
          const query = 'subscription { events { cursor } }';
          const stream = await openStream(strict, method, { query });
          const { errors } = await stream.first();
          expect(errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
        }
      });

      test('exclude texts in the URL of a POST, and batches', async () => {
        const search = searchOf({ query: FOREIGN });
        const hidden = await strict.rest(`/graphql?${search}`, { body: { documentId: 'WhoAmI' } });
        expect(hidden.body.data).toEqual({ viewer: { name: 'demo-admin' } });
        const twice = await strict.rest(`/graphql?${searchOf({ query: VIEWER })}&${search}`);
        expect(twice.body.data).toEqual({ viewer: { name: 'demo-admin' } });
        const list = await strict.rest('/graphql', { body: [{ query: FOREIGN }] });
        expect([list.status, list.body.data]).toEqual([400, undefined]);
      });

      test('reject an unknown hash without asking clients to retry', async () => {
        for (const parameters of [
          { extensions: persisted(sha256(FOREIGN)) },
          { documentId: 'Nobody' },
          { operationName: 'Nobody' },
        ]) {
          const { status, errors } = await post(parameters, strict);
          expect([status, errors[0].extensions.code]).toEqual([400, 'PERSISTED_QUERY_NOT_IN_LIST']);
          expect(errors[0].message).toMatch(/is not a trusted document.*Add the document/);
        }
        const body = { query: FOREIGN, extensions: persisted(sha256(FOREIGN)) };
        expect((await post(body, strict)).errors[0].extensions.code).toBe('QUERY_NOT_IN_SAFELIST');
      });

      test('disable GraphiQL', async () => {
        const response = await strict.rest('/graphql', { headers: { accept: 'text/html' } });
        expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
      });
    });

    test.each([
      ['codegen-sha1', '262f39d1e8ed68fc7832b2c52a9aff09e383743f'],
      ['codegen-sha256', 'sha256:4145a2f0705d12a931781aaabc6ab2fb408271b2ee28df289b9bbb2c5eb2add3'],
      ['apollo', 'a767585c8257d14a67e22083cdb7379b353aceb28cdee17e441682744019b3e9'],
      ['relay', 'cc07fc7ab4f25fb4e3f97acfa628c1e4'],
    ] as const)('extracted by %s from a client are served', async (tool, id) => {
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
