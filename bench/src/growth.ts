import { isDeepStrictEqual } from 'node:util';
import type { Progress } from '../../parity/src/progress.js';
import { openSql, type Sql } from '../../parity/src/world/sql.js';
import type { Contender } from './contenders/contender.js';
import { startGateway } from './contenders/gateway.js';
import type { Store } from './databases.js';
import { figuresOf, type Round, runRound } from './measure/figures.js';
import { type BenchRequest, repeat, sendOnce } from './measure/load.js';
import { median } from './measure/statistics.js';
import type { Settings } from './settings.js';

/** Costs on logs of several sizes. */
export type Growth = {
  title: string;
  unit: 'request' | 'start' | 'first';
  points: { events: number; latencyMs: number; cpuMs: number | null }[];
  /** The largest cost relative to that on the smallest log: latency, and CPU time of the process. */
  latencyRatio: number;
  cpuRatio: number | null;
  /** Latency at ten times the largest log, if it grows as it did between the two largest. */
  estimatedMs: number;
  isMet: boolean;
  faults: string[];
};

/** Maximum cost ratio between the largest and the smallest log. */
export const MAX_GROWTH = 1.3;

const CONNECTIONS = 1;
const STARTS = 3;

const post = (query: string): BenchRequest => ({
  method: 'POST',
  path: '/graphql',
  body: { query },
});

type Side = { events: number; url: string; gateway: Contender; sql: Sql };

type Measure = {
  title: string;
  request: (side: Side) => Promise<BenchRequest>;
  expect: (side: Side) => Promise<unknown>;
  read: (response: unknown) => unknown;
};

type Page = { data: { events: { nodes: { id: number }[]; totalCount?: number } } };

const idsOf = (response: unknown): number[] =>
  (response as Page).data.events.nodes.map(({ id }) => id);

const idsBelow = async (sql: Sql, id: number): Promise<number[]> => {
  const rows = await sql.query<{ id: number }>(
    `select id from events where id < ${id} order by id desc limit 50`,
  );
  return rows.map((row) => row.id);
};

const FIELDS = 'nodes { id typeName createdBy createdAt featureName }';

const firstPage: Measure = {
  title: 'first page',
  request: async () => post(`query First { events(first: 50) { ${FIELDS} } }`),
  expect: ({ sql, events }) => idsBelow(sql, events + 1),
  read: idsOf,
};

/** Replaces the position in a cursor, because paging to the middle of a long list would take hours. */
const cursorAt = async (gateway: Contender, id: number): Promise<string> => {
  const request = post('query Cursor { events(first: 1) { pageInfo { endCursor } } }');
  const response = JSON.parse(await sendOnce(gateway.url, request));
  const text = Buffer.from(response.data.events.pageInfo.endCursor, 'base64url').toString();
  return Buffer.from(text.replace(/\d+$/, String(id))).toString('base64url');
};

const pageAtDepth = (share: number): Measure => {
  const idAt = (events: number) => Math.round(events * (1 - share));
  return {
    title: `keyset page at ${share * 100} % depth`,
    request: async ({ gateway, events }) => {
      const cursor = await cursorAt(gateway, idAt(events));
      return post(`query Deep { events(first: 50, after: "${cursor}") { ${FIELDS} } }`);
    },
    expect: ({ sql, events }) => idsBelow(sql, idAt(events)),
    read: idsOf,
  };
};

const repeatedTotal: Measure = {
  title: 'repeated total',
  request: async () => post('query Total { events(first: 1) { totalCount } }'),
  expect: async ({ events }) => events,
  read: (response) => (response as Page).data.events.totalCount,
};

const restPage: Measure = {
  title: 'REST page with repeated total',
  request: async () => ({ path: '/api/admin/search/events?limit=50' }),
  expect: async ({ sql, events }) => [events, await idsBelow(sql, events + 1)],
  read: (response) => {
    const { total, events } = response as { total: number; events: { id: number }[] };
    return [total, events.map(({ id }) => id)];
  },
};

const MEASURES = [firstPage, pageAtDepth(0.5), pageAtDepth(0.99), repeatedTotal, restPage];

const ratioOf = (values: readonly (number | null)[]): number | null => {
  const [first, ...others] = values;
  if (!first || others.some((value) => value === null)) return null;
  return Math.max(...others.map((value) => Number(value))) / first;
};

/** Costs that grow with the log are multiplied by ten, others grow by the same amount for each factor of ten. */
const estimate = (unit: Growth['unit'], points: Growth['points']): number => {
  const [before, last] = points.slice(-2);
  if (!before || !last) return Number.NaN;
  const slope = (last.latencyMs - before.latencyMs) / Math.log10(last.events / before.events);
  if (unit !== 'first') return Math.max(last.latencyMs, last.latencyMs + slope);
  const perEvent = (last.latencyMs - before.latencyMs) / (last.events - before.events);
  return last.latencyMs + 9 * last.events * Math.max(0, perEvent);
};

const growthOf = (
  title: string,
  unit: Growth['unit'],
  points: Growth['points'],
  faults: string[],
): Growth => {
  const latencyRatio = ratioOf(points.map((point) => point.latencyMs)) ?? Number.NaN;
  const cpuRatio = ratioOf(points.map((point) => point.cpuMs));
  const isBounded =
    unit === 'first' || (latencyRatio <= MAX_GROWTH && (cpuRatio ?? 0) <= MAX_GROWTH);
  const isMet = faults.length === 0 && isBounded;
  const estimatedMs = estimate(unit, points);
  return { title, unit, points, latencyRatio, cpuRatio, estimatedMs, isMet, faults };
};

const measureGrowth = async (
  sides: readonly Side[],
  measure: Measure,
  settings: Settings,
  step: () => void,
): Promise<Growth> => {
  const faults: string[] = [];
  const rounds = sides.map((): Round[] => []);
  const loads = await Promise.all(
    sides.map(async (side) => {
      const expected = await measure.expect(side);
      const isCorrect = (body: string) => {
        try {
          return isDeepStrictEqual(measure.read(JSON.parse(body)), expected);
        } catch {
          return false;
        }
      };
      return repeat(await measure.request(side), isCorrect);
    }),
  );
  for (let round = -1; round < settings.rounds; round += 1) {
    for (const [index, side] of sides.entries()) {
      const load = loads[index];
      if (!load) continue;
      const before = load.wrong();
      const result = await runRound(side.gateway, {
        ...load,
        connections: CONNECTIONS,
        seconds: settings.seconds,
      });
      const wrong = load.wrong() - before;
      if (wrong + result.failed > 0) {
        faults.push(`${side.events} events: ${wrong} wrong, ${result.failed} failed`);
      }
      // The first round is a warm-up.
      if (round >= 0) rounds[index]?.push(result);
    }
    step();
  }
  const points = sides.map(({ events }, index) => {
    const { p50, cpuMs } = figuresOf(rounds[index] ?? [], null);
    return { events, latencyMs: p50, cpuMs };
  });
  return growthOf(measure.title, 'request', points, faults);
};

/** Starts, and the first total after each: it counts the whole log once. */
const measureStarts = async (sides: readonly Side[], step: () => void): Promise<Growth[]> => {
  const times = sides.map(() => ({ start: [] as number[], total: [] as number[] }));
  for (let start = 0; start < STARTS; start += 1) {
    for (const [index, side] of sides.entries()) {
      const startedAt = performance.now();
      const gateway = await startGateway(side.url);
      times[index]?.start.push(performance.now() - startedAt);
      const request = await repeatedTotal.request(side);
      const askedAt = performance.now();
      await sendOnce(gateway.url, request);
      times[index]?.total.push(performance.now() - askedAt);
      await gateway.stop();
    }
    step();
  }
  const pointsOf = (kind: 'start' | 'total') =>
    sides.map(({ events }, index) => ({
      events,
      latencyMs: median(times[index]?.[kind] ?? []),
      cpuMs: null,
    }));
  return [
    growthOf('start', 'start', pointsOf('start'), []),
    growthOf('first total after a start', 'first', pointsOf('total'), []),
  ];
};

const openSide = async (store: Store, events: number, progress: Progress): Promise<Side> => {
  const url = await store.copy(events, 'growth', 'plain');
  progress.log(`Starting the gateway on ${events.toLocaleString('en')} events`);
  return { events, url, gateway: await startGateway(url), sql: await openSql(url) };
};

/** The same requests on logs of several sizes, the smallest first. */
export const runGrowth = async (
  store: Store,
  sizes: readonly number[],
  settings: Settings,
  progress: Progress,
): Promise<Growth[]> => {
  const sides: Side[] = [];
  const total = MEASURES.length * (settings.rounds + 1) + STARTS;
  let done = 0;
  const stepFor = (title: string) => () => {
    done += 1;
    progress.step(done, total, `growth: ${title}`);
  };
  try {
    for (const events of sizes) sides.push(await openSide(store, events, progress));
    const results: Growth[] = [];
    for (const measure of MEASURES) {
      results.push(await measureGrowth(sides, measure, settings, stepFor(measure.title)));
    }
    results.push(...(await measureStarts(sides, stepFor('start'))));
    return results;
  } finally {
    progress.end();
    for (const side of sides) {
      await side.sql.close();
      await side.gateway.stop();
    }
  }
};
