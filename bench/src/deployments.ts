import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Progress } from '../../parity/src/progress.js';
import { openSql } from '../../parity/src/world/sql.js';
import { startReplicated } from '../../test/testkit/postgres.js';
import { mixed } from './cases/mixed.js';
import { type Contender, POOL_SIZE } from './contenders/contender.js';
import { applyIndexes, startGateway } from './contenders/gateway.js';
import { createDraw } from './draw.js';
import { type BenchRequest, type Exchange, repeat, runLoad } from './measure/load.js';
import { cpuMsOfAll } from './measure/process-usage.js';
import { mean, median, quantile } from './measure/statistics.js';
import { createVerifier } from './measure/verifier.js';
import type { Settings } from './settings.js';
import { fillWorld } from './world/fill-world.js';

/** The same load on several processes or servers. */
export type Deployment = {
  title: string;
  load: 'mixed' | 'totals';
  perSecond: number;
  p50: number;
  p99: number;
  /** Of all processes of the gateway, per request. */
  cpuMs: number | null;
  failed: number;
  wrong: number;
};

/** Minimum throughput of totals with a replica, relative to the primary alone. */
export const MIN_REPLICA_SHARE = 0.7;

/** 1 if not measured. */
export const replicaShare = (deployments: readonly Deployment[]): number => {
  const [primary, replica] = deployments.filter(({ load }) => load === 'totals');
  return primary && replica ? replica.perSecond / primary.perSecond : 1;
};

type Setup = { title: string; instances: number; settings: Readonly<Record<string, string>> };

type Running = { title: string; gateways: Contender[] };

/** Writes of other clients while totals are read. */
const WRITES_PER_SECOND = 20;

const setupsFor = (replicaUrl: string): Setup[] => {
  const half = { DATABASE_POOL_SIZE: String(POOL_SIZE / 2) };
  return [
    { title: 'one process', instances: 1, settings: {} },
    { title: 'WORKERS=2', instances: 1, settings: { WORKERS: '2' } },
    { title: 'two instances', instances: 2, settings: half },
    {
      title: 'one process, a replica',
      instances: 1,
      settings: { DATABASE_REPLICA_URLS: replicaUrl },
    },
  ];
};

const cpuOf = (gateways: readonly Contender[]): number =>
  gateways.reduce((sum, { pid }) => sum + (cpuMsOfAll(pid) ?? Number.NaN), 0);

type Round = { latencies: number[]; perSecond: number; cpuMs: number; failed: number };

/** Distributes the connections over the instances, as a load balancer does. */
const runRound = async (
  { gateways }: Running,
  exchange: Exchange,
  { connections, seconds }: Settings,
): Promise<Round> => {
  const before = cpuOf(gateways);
  const results = await Promise.all(
    gateways.map(({ url }) =>
      runLoad({ url, ...exchange, connections: connections / gateways.length, seconds }),
    ),
  );
  const latencies = results.flatMap((result) => result.latencies);
  return {
    latencies,
    perSecond: latencies.length / seconds,
    cpuMs: (cpuOf(gateways) - before) / latencies.length,
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  };
};

const summarize = (
  title: string,
  load: Deployment['load'],
  rounds: readonly Round[],
  wrong: number,
): Deployment => {
  const latencies = rounds.flatMap((round) => round.latencies);
  const cpuMs = mean(rounds.map((round) => round.cpuMs));
  return {
    title,
    load,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuMs: Number.isFinite(cpuMs) ? cpuMs : null,
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
    wrong,
  };
};

const measureMixed = async (
  running: readonly Running[],
  databaseUrl: string,
  settings: Settings,
  step: (title: string) => void,
): Promise<Deployment[]> => {
  const sql = await openSql(databaseUrl);
  const test = mixed();
  try {
    const sides = running.map((side) => ({
      side,
      verifier: createVerifier(test, 'gateway', sql),
      rounds: [] as Round[],
      wrong: 0,
    }));
    for (let round = -1; round < settings.rounds; round += 1) {
      for (const found of sides) {
        const exchange = found.verifier.exchange(createDraw(round + 1));
        const result = await runRound(found.side, exchange, settings);
        found.wrong += (await found.verifier.verify()).wrong;
        // The first round is a warm-up.
        if (round >= 0) found.rounds.push(result);
        step(`mixed (${found.side.title})`);
      }
    }
    return sides.map(({ side, rounds, wrong }) => summarize(side.title, 'mixed', rounds, wrong));
  } finally {
    await sql.close();
  }
};

const TOTAL: BenchRequest = {
  method: 'POST',
  path: '/graphql',
  body: { query: 'query Total { events(first: 1) { totalCount } }' },
};

/** Adds events at a steady rate until stopped. */
const startWriter = async (databaseUrl: string) => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let isStopped = false;
  const writing = (async () => {
    while (!isStopped) {
      await client.query(
        `insert into events (type, created_by, data) values ('setting-updated', 'bench', '{}')`,
      );
      await delay(1_000 / WRITES_PER_SECOND);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await writing;
      await client.end();
    },
  };
};

type TotalBody = { data: { events: { totalCount: number } } };

/** Exact totals of a growing log: a total that is lower than an earlier one is wrong. */
const measureTotals = async (
  running: readonly Running[],
  databaseUrl: string,
  settings: Settings,
  step: (title: string) => void,
): Promise<Deployment[]> => {
  const sides = running.map((side) => ({ side, rounds: [] as Round[], wrong: 0 }));
  const sql = await openSql(databaseUrl);
  const writer = await startWriter(databaseUrl);
  try {
    for (let round = -1; round < settings.rounds; round += 1) {
      for (const found of sides) {
        // Data is at most a second old, and the writer has one statement in flight.
        const { known } = await sql.one<{ known: number }>(
          `select count(*)::int as known from events where created_at < now() - interval '1 second'`,
        );
        const isPossible = (body: string) =>
          (JSON.parse(body) as TotalBody).data.events.totalCount >= known;
        const exchange = repeat(TOTAL, isPossible);
        const result = await runRound(found.side, exchange, settings);
        found.wrong += exchange.wrong();
        if (round >= 0) found.rounds.push(result);
        step(`totals (${found.side.title})`);
      }
    }
  } finally {
    await writer.stop();
    await sql.close();
  }
  return sides.map(({ side, rounds, wrong }) => summarize(side.title, 'totals', rounds, wrong));
};

const start = async (databaseUrl: string, setups: readonly Setup[]): Promise<Running[]> => {
  const running: Running[] = [];
  for (const { title, instances, settings } of setups) {
    const gateways: Contender[] = [];
    running.push({ title, gateways });
    for (let instance = 0; instance < instances; instance += 1) {
      gateways.push(await startGateway(databaseUrl, settings));
    }
  }
  return running;
};

/** Measures deployments in turn, on a primary with a replica by streaming replication. */
export const runDeployments = async (
  settings: Settings,
  serverSettings: Readonly<Record<string, string>>,
  progress: Progress,
): Promise<Deployment[]> => {
  progress.log('Starting a primary and a replica');
  const { primary, replicas } = await startReplicated(1, serverSettings);
  const replicaUrl = String(replicas[0]?.adminUrl);
  let running: Running[] = [];
  let done = 0;
  try {
    await fillWorld(primary.adminUrl, settings.events, {
      onProgress: progress.log,
      step: (events) => progress.step(events, settings.events, 'events written'),
    });
    await applyIndexes(primary.adminUrl, 'plain', progress.log);
    progress.log('Starting the gateways');
    running = await start(primary.adminUrl, setupsFor(replicaUrl));
    const total = (running.length + 2) * (settings.rounds + 1);
    const step = (title: string) => {
      done += 1;
      progress.step(done, total, title);
    };
    const found = await measureMixed(running, primary.adminUrl, settings, step);
    const [one, , , replicated] = running;
    const compared = [one, replicated].filter((side) => side !== undefined);
    return [...found, ...(await measureTotals(compared, primary.adminUrl, settings, step))];
  } finally {
    progress.end();
    for (const { gateways } of running) for (const gateway of gateways) await gateway.stop();
    for (const server of [...replicas, primary]) await server.stop();
  }
};
