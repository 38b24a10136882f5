import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/data/connect.js';
import { type Gateway, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase } from '../../testkit/database.js';
import { openEventStream } from '../../testkit/event-stream.js';

const WRITERS = 4;
const EVENTS = 10_000;
const FOLLOW = `subscription Follow($after: String) {
  events(after: $after, filter: { featureName: { is: "contended" } }) { cursor node { id } }
}`;
const PAGE = `{ events(first: 1, filter: { featureName: { is: "contended" } }) { edges { cursor } } }`;

const connect = async (url: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

const INSERT = `insert into events (type, created_by, project, feature_name, data)
  values ('feature-updated', 'writer', 'default', 'contended', '{}') returning id`;

/** Writes events in transactions that commit late or roll back; returns the committed IDs. */
const write = async (url: string, count: number): Promise<number[]> => {
  const client = await connect(url);
  const committed: number[] = [];
  while (committed.length < count) {
    await client.query('begin');
    const ids: number[] = [];
    const size = Math.min(count - committed.length, 1 + Math.floor(Math.random() * 4));
    for (let n = 0; n < size; n += 1) ids.push((await client.query(INSERT)).rows[0].id);
    await delay(Math.random() * (Math.random() < 0.02 ? 400 : 8));
    const isCommit = Math.random() > 0.05;
    await client.query(isCommit ? 'commit' : 'rollback');
    if (isCommit) committed.push(...ids);
  }
  await client.end();
  return committed;
};

/** The naive implementation: everything with a larger ID than the last. */
const readNaively = async (url: string, from: number, hasEnded: () => boolean) => {
  const client = await connect(url);
  const seen: number[] = [];
  let last = from;
  for (let isLastTurn = false; !isLastTurn; ) {
    isLastTurn = hasEnded();
    const { rows } = await client.query<{ id: number }>(
      `select id from events where id > $1 and feature_name = 'contended' order by id`,
      [last],
    );
    seen.push(...rows.map(({ id }) => id));
    last = seen.at(-1) ?? last;
    await delay(10);
  }
  await client.end();
  return seen;
};

test('a subscription returns each of 10,000 events of four concurrent writers once and in order, across a reconnect and a restart', async () => {
  const { url, drop } = await createMigratedDatabase('demo');
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  let gateway: Gateway = await startGateway(database, { LOG_LEVEL: 'silent' });
  const [begin] = await write(url, 1);
  const { data } = await gateway.graphql(PAGE);
  let after: string = data.events.edges[0].cursor;

  let hasEnded = false;
  const naive = readNaively(url, begin ?? 0, () => hasEnded);
  const writing = Promise.all(
    Array.from({ length: WRITERS }, () => write(url, EVENTS / WRITERS)),
  ).finally(() => {
    hasEnded = true;
  });

  const seen: number[] = [];
  const follow = async (upTo: number) => {
    const stream = await openEventStream(gateway.url, FOLLOW, { after });
    while (seen.length < upTo) {
      const result = await stream.next();
      if (!result?.data) throw new Error(`The stream broke off: ${JSON.stringify(result)}`);
      seen.push(result.data.events.node.id);
      after = result.data.events.cursor;
    }
    await stream.close();
  };
  await follow(EVENTS / 3);
  await follow((EVENTS / 3) * 2);
  await gateway.stop();
  gateway = await startGateway(database, { LOG_LEVEL: 'silent' });
  await follow(EVENTS);

  const expected = (await writing).flat().sort((one, other) => one - other);
  expect(seen).toEqual(expected);
  const missed = expected.length - new Set(await naive).size;
  expect(missed, 'a reader that trusts the largest id misses events').toBeGreaterThan(0);

  await gateway.stop();
  await database.close();
  await drop();
}, 300_000);
