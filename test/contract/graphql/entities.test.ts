import { describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';

const SELECTED = `{ __typename
  ... on Event { number: id typeName feature { name } }
  ... on Feature { name stale tags { value } project { id } }
  ... on Project { id name members environments { environment { name } } }
  ... on IntegrationEvent { deliveryId: id state integration { provider } } }`;

const FEDERATION = { FEDERATION: 'on' };

const feature = (name: unknown) => ({ __typename: 'Feature', name });
const project = (id: unknown) => ({ __typename: 'Project', id });
const event = (id: unknown) => ({ __typename: 'Event', id });
const delivery = (id: unknown) => ({ __typename: 'IntegrationEvent', id });

describeWithDemo(
  'the entities of the subgraph',
  ({ gateway, database, statementsOf }) => {
    const find = (representations: unknown, token?: string | null, selected = SELECTED) =>
      gateway().graphql(
        `query ($representations: [_Any!]!) { _entities(representations: $representations) ${selected} }`,
        { representations },
        token === undefined ? {} : { token },
      );

    test('are resolved by their keys, in the requested order', async () => {
      const { data, errors } = await find([
        feature('welcome-tour'),
        delivery('3'),
        project('web-shop'),
        event(2136),
        { ...feature('welcome-tour'), stale: 'unasked' },
        delivery(3),
      ]);
      expect(errors).toBeUndefined();
      expect(data._entities).toEqual([
        expect.objectContaining({ __typename: 'Feature', name: 'welcome-tour', stale: false }),
        expect.objectContaining({ __typename: 'IntegrationEvent', deliveryId: '3' }),
        expect.objectContaining({ __typename: 'Project', id: 'web-shop', name: 'Web shop' }),
        expect.objectContaining({ __typename: 'Event', number: 2136 }),
        data._entities[0],
        data._entities[1],
      ]);
    });

    test('are resolved from literals in the document', async () => {
      const { data } = await gateway().graphql(
        `query ($name: String) { _entities(representations: [{ __typename: "Feature", name: $name }]) {
        ... on Feature { name } } }`,
        { name: 'welcome-tour' },
      );
      expect(data._entities).toEqual([{ name: 'welcome-tour' }]);
    });

    test('are null when they do not exist', async () => {
      const { data, errors } = await find([
        feature('ghost'),
        feature('Welcome-Tour'),
        feature(''),
        project('ghost'),
        event(0),
        event(-5),
        event(2 ** 31 - 1),
        delivery('999999999'),
        delivery('9'.repeat(400)),
        delivery('03'),
        delivery('three'),
      ]);
      expect(errors).toBeUndefined();
      expect(data._entities).toEqual(Array(11).fill(null));
    });

    test('are null without an error when the caller may not see them', async () => {
      const { client } = database();
      const hidden = await client.event.findFirstOrThrow({ where: { projectId: null } });
      const visible = await client.event.findFirstOrThrow({ where: { projectId: 'web-shop' } });
      const representations = [
        event(hidden.id),
        event(visible.id),
        delivery('3'),
        feature('welcome-tour'),
      ];

      const seen = async (token: string) => {
        const { status, data, errors } = await find(representations, token);
        expect([status, errors]).toEqual([200, undefined]);
        return data._entities.map((found: unknown) => found !== null);
      };
      expect(await seen(DEMO_TOKENS.viewer)).toEqual([false, true, false, true]);
      expect(await seen(DEMO_TOKENS.member)).toEqual([false, true, false, true]);
      expect(await seen(DEMO_TOKENS.rootAdmin)).toEqual([true, true, true, true]);
    });

    test('require a token', async () => {
      for (const token of [null, 'garbage']) {
        const { status, data } = await find([feature('welcome-tour')], token);
        expect([status, data]).toEqual([401, undefined]);
      }
    });

    test('take as many SQL statements for hundreds as for one of each type', async () => {
      const { client } = database();
      const features = (await client.feature.findMany()).map(({ name }) => feature(name));
      const projects = (await client.project.findMany()).map(({ id }) => project(id));
      const events = (await client.event.findMany({ take: 200 })).map(({ id }) => event(id));
      const deliveries = (await client.integrationEvent.findMany({ take: 100 })).map(({ id }) =>
        delivery(String(id)),
      );
      const kinds: unknown[][] = [features, projects, events, deliveries];
      const countStatements = async (representations: unknown[], selected = SELECTED) => {
        let found: unknown[] = [];
        const statements = await statementsOf(async () => {
          const { data, errors } = await find(representations, undefined, selected);
          expect(errors).toBeUndefined();
          found = data._entities;
        });
        expect(found).toHaveLength(representations.length);
        expect(found).not.toContain(null);
        return statements.length;
      };

      const many = kinds.flat();
      expect(many.length).toBeGreaterThan(300);
      const few = kinds.flatMap((kind) => kind.slice(-2));
      expect(await countStatements(many)).toBeLessThanOrEqual(await countStatements(few));

      const bare = '{ __typename }';
      const nothing = await countStatements([], bare);
      expect(await countStatements(features, bare)).toBe(nothing + 1);
      expect(await countStatements(many, bare)).toBe(nothing + kinds.length);
    });

    describe('with invalid representations', () => {
      test.each<[string, unknown, string]>([
        [
          'no object',
          'Feature',
          "'representations[1]' must be an object with a __typename and a key.",
        ],
        [
          'a list',
          ['Feature'],
          "'representations[1]' must be an object with a __typename and a key.",
        ],
        ['without __typename', { name: 'x' }, "'representations[1]' must have a __typename."],
        [
          'with a strange __typename',
          { __typename: 5 },
          "'representations[1]' must have a __typename.",
        ],
        [
          'of an unknown type',
          { __typename: 'Strategy', id: 'x' },
          "'representations[1].__typename' must be one of Event, Feature, IntegrationEvent, Project.",
        ],
        [
          'of a type that every object has',
          { __typename: 'constructor', id: 'x' },
          "'representations[1].__typename' must be one of Event, Feature, IntegrationEvent, Project.",
        ],
        [
          'without the key',
          { __typename: 'Feature', id: 'x' },
          "'representations[1]' must have its key, name.",
        ],
        ['with null as the key', feature(null), "'representations[1]' must have its key, name."],
        [
          'with a number as the name',
          feature(7),
          "'representations[1].name' must be of type String.",
        ],
        [
          'with an object as the name',
          feature({ eq: 'x' }),
          "'representations[1].name' must be of type String.",
        ],
        [
          'with a list as the id',
          project(['x']),
          "'representations[1].id' must be of type String.",
        ],
        ['with a text as the number', event('1'), "'representations[1].id' must be of type Int."],
        ['with a fraction', event(1.5), "'representations[1].id' must be of type Int."],
        ['with too large a number', event(2 ** 31), "'representations[1].id' must be of type Int."],
        ['with a fraction as the ID', delivery(1.5), "'representations[1].id' must be of type ID."],
        [
          'with a NUL',
          feature('a\0b'),
          "'representations[1].name' contains a character that cannot be stored.",
        ],
        [
          'with a lone surrogate',
          project('\ud800'),
          "'representations[1].id' contains a character that cannot be stored.",
        ],
        [
          'with a NUL in an ID',
          delivery('3\0'),
          "'representations[1].id' contains a character that cannot be stored.",
        ],
      ])('are rejected individually: %s', async (_title, bad, message) => {
        const { status, data, errors } = await find([
          feature('welcome-tour'),
          bad,
          project('web-shop'),
        ]);
        expect(status).toBe(200);
        expect(
          data._entities.map((found: { __typename: string } | null) => found?.__typename),
        ).toEqual(['Feature', undefined, 'Project']);
        expect(errors).toEqual([
          expect.objectContaining({
            message,
            path: ['_entities', 1],
            extensions: expect.objectContaining({ code: 'BAD_USER_INPUT', name: 'BadDataError' }),
          }),
        ]);
      });

      test('are rejected by validation when the list or an item is null', async () => {
        for (const representations of [[null], null, undefined]) {
          const { status, errors } = await find(representations);
          expect([status, errors?.[0].extensions.name]).toEqual([400, 'BadDataError']);
        }
        const none = await find([]);
        expect([none.errors, none.data._entities]).toEqual([undefined, []]);
      });

      test('are rejected with one error when there are too many', async () => {
        const rejected = await find(Array(1000).fill({ __typename: 'Bad' }));
        expect(rejected.errors?.map(({ message }: { message: string }) => message)).toEqual([
          expect.stringMatching(
            /^More than 10 of the 1000 entries of 'representations' are invalid\./,
          ),
        ]);
        const most = await find(Array.from({ length: 1000 }, (_, index) => feature(`f-${index}`)));
        expect([most.errors, most.data._entities.length]).toEqual([undefined, 1000]);
        const more = await find(Array(1001).fill(feature('welcome-tour')));
        expect([more.status, more.data, more.errors?.length]).toEqual([400, null, 1]);
        expect(more.errors?.[0]).toMatchObject({
          message: "'representations' can have at most 1000 entries (got 1001).",
          extensions: { code: 'BAD_USER_INPUT', name: 'BadDataError' },
        });
        const bad = await find(Array(5000).fill('bad'));
        expect([bad.status, bad.errors?.length]).toEqual([400, 1]);
      });

      test('are rejected when nested too deeply', async () => {
        const nested = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
        const { status, errors } = await find([{ ...feature('welcome-tour'), nested }]);
        expect([status, errors?.[0].extensions.code]).toEqual([400, 'LIMIT_EXCEEDED']);
      });
    });

    test('cost as much as their selections', async () => {
      const runQuery = (size: number) =>
        gateway().graphql(
          `query ($representations: [_Any!]!) { _entities(representations: $representations) {
          ... on Feature { events(first: 100) { nodes { id } } } } }`,
          { representations: Array(size).fill(feature('welcome-tour')) },
        );
      expect((await runQuery(10)).errors).toBeUndefined();
      const { status, errors } = await runQuery(1000);
      expect([status, errors?.[0].extensions.code]).toEqual([400, 'LIMIT_EXCEEDED']);
      expect(errors?.[0].message).toMatch(
        /^An operation can cost at most 200000 points \(got \d{6}\)\./,
      );
    });

    describe('the schema for composition', () => {
      const SERVICE = '{ _service { sdl } }';

      test('contains the keys, and needs no token, like introspection', async () => {
        const { status, data } = await gateway().graphql(SERVICE, {}, { token: null });
        expect(status).toBe(200);
        const { sdl } = data._service;
        expect(sdl).toContain('@link(url: "https://specs.apollo.dev/federation/v2.0"');
        for (const [name, key] of [
          ['Event', 'id'],
          ['Feature', 'name'],
          ['IntegrationEvent', 'id'],
          ['Project', 'id'],
        ]) {
          expect(sdl).toMatch(
            new RegExp(`^type ${name}( implements [\\w &]+)? @key\\(fields: "${key}"\\) \\{$`, 'm'),
          );
        }
        expect(sdl.match(/@key\(/g)).toHaveLength(4);
        expect((await gateway().graphql(SERVICE, {}, { token: DEMO_TOKENS.viewer })).data).toEqual(
          data,
        );
      });

      test('does not open other fields without a token', async () => {
        const queries = [
          '{ _service { sdl } viewer { name } }',
          '{ _service { sdl } _entities(representations: []) { __typename } }',
        ];
        for (const query of queries) {
          expect((await gateway().graphql(query, {}, { token: null })).status).toBe(401);
        }
      });

      test('is rejected when selected too often in one operation', async () => {
        const query = `{ ${Array.from({ length: 6 }, (_, n) => `s${n}: _service { sdl }`).join(' ')} }`;
        for (const token of [null, DEMO_TOKENS.admin]) {
          const { status, errors } = await gateway().graphql(query, {}, { token });
          expect([status, errors?.[0].extensions.code]).toEqual([400, 'LIMIT_EXCEEDED']);
        }
        const inside = `{ _service { ${Array.from({ length: 6 }, (_, n) => `s${n}: sdl`).join(' ')} } }`;
        expect((await gateway().graphql(inside, {}, { token: null })).status).toBe(400);
      });

      test('requires a token in production', async () => {
        const secret = '*:*.composer';
        await database().client.apiToken.create({
          data: { secret, username: 'composer', type: 'admin' },
        });
        const production = await startGateway(database(), {
          NODE_ENV: 'production',
          FEDERATION: 'on',
        });
        try {
          expect((await production.graphql(SERVICE, {}, { token: null })).status).toBe(401);
          expect((await production.graphql(SERVICE, {}, { token: secret })).status).toBe(200);
        } finally {
          await production.stop();
        }
      });
    });
  },
  FEDERATION,
);
