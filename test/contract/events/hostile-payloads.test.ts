import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportEvents } from '../../../src/cli/export/export-events.js';
import { prepareFile } from '../../../src/cli/export/file-sink.js';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { type Db, Prisma, type PrismaClient } from '../../../src/data/db.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { FormatName } from '../../../src/export/formats.js';
import { openEventStream } from '../../testkit/event-stream.js';
import { parseCsv } from '../../testkit/parse-csv.js';
import { describeWithRows } from '../../testkit/seeded.js';

/** Deeper than JSON.stringify may be able to write, and about as deep as the embedded database can store. */
const DEPTH = 4_000;
const nested = (core: string, depth = DEPTH) =>
  `${'{"k":['.repeat(depth / 2)}${core}${']}'.repeat(depth / 2)}`;
const EARLIER = nested('1', 3_000);

type EventRow = { feature: string; data: string; preData?: string };

const write = async (db: Db, { feature, data, preData = 'null' }: EventRow): Promise<number> => {
  const [{ id }] = await db.$queryRaw<[{ id: number }]>(Prisma.sql`
    insert into events (type, created_by, project, feature_name, environment, data, pre_data)
    values ('feature-strategy-update', 'hand', 'shop', ${feature}, 'production',
      (${data}::text)::json, (${preData}::text)::jsonb) returning id`);
  return id;
};

const seed = async (client: PrismaClient) => {
  await write(client, { feature: 'deep', data: '{"n":1}' });
  await write(client, { feature: 'deep', data: nested('2'), preData: EARLIER });
  await write(client, { feature: 'deep', data: '{"n":3}' });
};

const EVENTS = `query ($filter: EventFilter) {
  events(first: 10, filter: $filter) {
    nodes { id featureName label summary data preData changes { path kind before after } }
    edges { cursor }
  }
}`;
const DEEP = { filter: { featureName: { is: 'deep' } } };

describeWithRows('hostile payloads', seed, ({ gateway, database }) => {
  /** Expects a page of three events, the second of them deeply nested. */
  const expectPage = (payloads: readonly unknown[]) =>
    expect(payloads.map((payload) => writtenBack(payload))).toEqual([
      '{"n":3}',
      nested('2'),
      '{"n":1}',
    ]);
  const writtenBack = (payload: unknown): string => {
    let open = '';
    let close = '';
    let value = payload;
    while (typeof value === 'object' && value !== null && 'k' in value) {
      open += '{"k":[';
      close += ']}';
      [value] = (value as { k: [unknown] }).k;
    }
    return `${open}${JSON.stringify(value)}${close}`;
  };
  const dataOf = (nodes: readonly { data: unknown }[]) => nodes.map(({ data }) => data);

  describe(`of ${DEPTH} levels are returned as recorded`, () => {
    test('in a page of GraphQL, with changes', async () => {
      const { status, data, errors } = await gateway().graphql(EVENTS, DEEP);
      expect([status, errors]).toEqual([200, undefined]);
      expectPage(dataOf(data.events.nodes));
      const { preData, changes } = data.events.nodes[1];
      expect(writtenBack(preData)).toBe(EARLIER);
      expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual(['CHANGED']);
      expect(writtenBack({ [changes[0].path]: changes[0].after })).toBe(nested('2'));
    });

    test('in a page of GraphQL that was requested with GET', async () => {
      const search = new URLSearchParams({ query: EVENTS, variables: JSON.stringify(DEEP) });
      const { status, body } = await gateway().rest(`/graphql?${search}`);
      expect(status).toBe(200);
      expectPage(dataOf(body.data.events.nodes));
    });

    test('for a single event', async () => {
      const page = await gateway().graphql(EVENTS, DEEP);
      const { id } = page.data.events.nodes[1];
      const { status, data } = await gateway().graphql(
        'query ($id: Int!) { event(id: $id) { id data } }',
        { id },
      );
      expect([status, data.event.id]).toEqual([200, id]);
      expect(writtenBack(data.event.data)).toBe(nested('2'));
    });

    test('in REST', async () => {
      const { status, body } = await gateway().rest('/api/admin/search/events?feature=IS:deep');
      expect([status, body.total]).toEqual([200, 3]);
      expectPage(dataOf(body.events));
    });

    test('in a subscription', async () => {
      const { data } = await gateway().graphql(EVENTS, DEEP);
      const stream = await openEventStream(
        gateway().url,
        `subscription ($filter: EventFilter, $after: String) {
          events(filter: $filter, after: $after) { node { data } }
        }`,
        { ...DEEP, after: data.events.edges.at(-1).cursor },
      );
      try {
        const results = await stream.take(2);
        const payloads = results.map((result) => writtenBack(result.data.events.node.data));
        expect(payloads).toEqual([nested('2'), '{"n":3}']);
      } finally {
        await stream.close();
      }
    });

    test.each<[FormatName, (text: string) => string[]]>([
      [
        'ndjson',
        (text) =>
          text
            .trim()
            .split('\n')
            .map((line) => writtenBack(JSON.parse(line).data)),
      ],
      [
        'csv',
        (text) =>
          parseCsv(text)
            .slice(1)
            .map((row) => row[10] ?? ''),
      ],
    ])('in an export as %s', async (format, payloadsIn) => {
      const folder = mkdtempSync(join(tmpdir(), 'flaggraph-hostile-'));
      const output = join(folder, 'events');
      const { filter } = DEEP;
      const sink = (await prepareFile(output, { format, given: filter, mode: 'new' })).open(filter);
      const client = await openGateway({
        url: gateway().url,
        token: DEMO_TOKENS.admin,
        env: {},
      });
      const retries = {
        pauses: [],
        signal: new AbortController().signal,
        onPause: () => undefined,
      };
      try {
        let exported = 0;
        const positions = exportEvents({
          gateway: client,
          sink,
          filter,
          format,
          from: null,
          retries,
        });
        for await (const { count } of positions) exported = count;
        expect(exported).toBe(3);
        expect(payloadsIn(readFileSync(output, 'utf8')).toSorted()).toEqual(
          ['{"n":3}', nested('2'), '{"n":1}'].toSorted(),
        );
      } finally {
        await sink.close();
        rmSync(folder, { recursive: true });
      }
    });
  });

  describe('with numbers that exceed a double', () => {
    const changesOf = async (written: Omit<EventRow, 'feature'>) => {
      const id = await write(database().client, { feature: 'exact', ...written });
      const { data, errors } = await gateway().graphql(EVENTS, { filter: { id: { is: id } } });
      expect(errors).toBeUndefined();
      return data.events.nodes[0];
    };

    test('return all digits as a string in GraphQL, and a rounded number in REST', async () => {
      const { id, data, preData } = await changesOf({
        data: '{"n":9007199254740993,"huge":[1e400],"half":0.5,"large":1e21}',
        preData: '{"n":0.1000000000000000055511151231257827,"tiny":-1e-400}',
      });
      const expected = { n: '9007199254740993', huge: ['1e400'], half: 0.5, large: 1e21 };
      expect(data).toEqual(expected);
      expect(preData).toEqual({
        n: '0.1000000000000000055511151231257827',
        tiny: `-0.${'0'.repeat(399)}1`,
      });
      const { body } = await gateway().rest('/api/admin/search/events?feature=IS:exact&limit=1');
      const rounded = { n: 9007199254740992, huge: [null], half: 0.5, large: 1e21 };
      expect(body.events[0]).toMatchObject({ id, data: rounded });
    });

    test.each<[string, string, boolean]>([
      ['9007199254740992', '9007199254740993', true],
      ['9007199254740993', '9007199254740994', true],
      ['9007199254740993', '9007199254740993.0', false],
      ['1e400', '1e401', true],
      ['1e400', '10e399', false],
      ['1e-400', '0', true],
      ['0.1', '0.1000000000000000055511151231257827', true],
      ['1000000000000000000000', '1e21', false],
      ['"9007199254740993"', '9007199254740993', true],
    ])('compare %s with %s in changes and touches: %s', async (before, after, isChange) => {
      const { id, changes } = await changesOf({
        preData: `{"n":${before}}`,
        data: `{"n":${after}}`,
      });
      expect(changes.map(({ path, kind }: { path: string; kind: string }) => [path, kind])).toEqual(
        isChange ? [['n', 'CHANGED']] : [],
      );
      const filter = { id: { is: id }, touches: 'n' };
      const { data } = await gateway().graphql(EVENTS, { filter });
      expect(data.events.nodes).toHaveLength(isChange ? 1 : 0);
    });

    test('are compared exactly with the state of an earlier event', async () => {
      const client = database().client;
      await write(client, { feature: 'earlier', data: '{"id":"s","n":9007199254740992}' });
      await write(client, { feature: 'earlier', data: '{"id":"s","n":9007199254740993}' });
      const { data } = await gateway().graphql(EVENTS, {
        filter: { featureName: { is: 'earlier' } },
      });
      expect(data.events.nodes[0].changes).toEqual([
        { path: 'n', kind: 'CHANGED', before: 9007199254740992, after: '9007199254740993' },
      ]);
    });

    test('do not identify items of a list, where they would be ambiguous', async () => {
      const { errors } = await gateway().graphql(EVENTS, {
        filter: { touches: 'list[id=9007199254740993].x' },
      });
      expect(errors?.[0].message).toMatch(/'touches' must be a path/);
      const { changes } = await changesOf({
        preData: '{"list":[{"id":9007199254740992,"x":1},{"id":9007199254740993,"x":1}]}',
        data: '{"list":[{"id":9007199254740992,"x":1},{"id":9007199254740993,"x":2}]}',
      });
      expect(changes.map(({ path }: { path: string }) => path)).toEqual(['list']);
    });
  });

  describe('of more than the read limit', () => {
    const LARGE = { filter: { featureName: { is: 'large' } }, first: 120 };
    const PAGE = `query ($filter: EventFilter, $first: Int) {
      events(first: $first, filter: $filter) { nodes { id data } }
    }`;

    test('are rejected with advice, and returned in smaller pages', async () => {
      await database().client.$executeRaw`
        insert into events (type, created_by, project, feature_name, data)
        select 'feature-updated', 'hand', 'shop', 'large', json_build_object('text', repeat('x', 1000000))
        from generate_series(1, 120)`;
      const { status, errors } = await gateway().graphql(PAGE, LARGE);
      expect([status, errors?.[0].extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      expect(errors?.[0].message).toMatch(/smaller pages/);
      const rest = await gateway().rest('/api/admin/search/events?feature=IS:large&limit=120');
      expect([rest.status, rest.body.name]).toEqual([413, 'PayloadTooLargeError']);

      const { data } = await gateway().graphql(PAGE, { ...LARGE, first: 3 });
      expect(data.events.nodes).toHaveLength(3);
    });

    test('are rejected when they are needed for the past of a feature', async () => {
      const client = database().client;
      await client.$executeRaw`insert into features (name, project, type) values ('large', 'shop', 'release')`;
      const { errors } = await gateway().graphql(
        `{ feature(name: "large") { asOf(time: "${new Date().toISOString()}") { existence } } }`,
      );
      expect(errors?.[0]).toMatchObject({ extensions: { code: 'PAYLOAD_TOO_LARGE' } });
    });
  });
});
