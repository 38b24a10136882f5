import { setTimeout as delay } from 'node:timers/promises';
import { failuresOf, startHonestClient } from '../clients/honest-client.js';
import { graphqlCall, sendGraphQL } from '../clients/http.js';
import { startLoad } from '../clients/load.js';
import { recoveryAfter } from '../clients/recovery.js';
import { percentile } from '../clients/statistics.js';
import { atMost, type Experiment, holds, type Measurement, none, type Run } from '../experiment.js';
import { createScope } from '../scope.js';
import { type FaultProxy, startFaultProxy } from '../servers/fault-proxy.js';
import { type GatewayProcess, startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';

const RECOVERY_SECONDS = 20;
/** For a gateway with a request timeout of 6 s and a statement timeout of 4 s. */
const TERMINATION_SECONDS = 12;
const DELAY_MS = 200;
const ROUND_TRIPS = 4;

type Stage = { proxy: FaultProxy; gateway: GatewayProcess };

/** A gateway that connects to its database through a proxy, with enough traffic to keep its pool busy. */
const stage = async (run: Run, url: string, env: Record<string, string> = {}): Promise<Stage> => {
  const proxy = await startFaultProxy(run.scope, run.world.server.port);
  const gateway = await startGateway(run.scope, proxy.through(url), {
    env: { ...UNLIMITED, ...env },
  });
  return { proxy, gateway };
};

const EVENT_LOG = '{ eventLog { settledId } }';

/** Causes a fault under load and measures the time until recovery. */
const measureFault = async (
  { gateway }: Stage,
  title: string,
  fault: () => unknown,
): Promise<Measurement[]> => {
  const honest = await startHonestClient(gateway.url, {
    everyMs: 100,
    calls: [
      graphqlCall('{ project(id: "payments") { name } }', { token: TOKENS.honest }),
      graphqlCall('{ events(first: 3, filter: { id: { before: 500 } }) { nodes { id type } } }', {
        token: TOKENS.honest,
      }),
      graphqlCall(EVENT_LOG, { token: TOKENS.honest }),
    ],
  });
  const stopLoad = startLoad(gateway.url, 12);
  await delay(2_000);
  const faultAt = honest.now();
  await fault();
  const recovery = await recoveryAfter(honest, faultAt);
  const samples = await honest.stop();
  await stopLoad();
  return [
    atMost(`${title}: recovery`, recovery, RECOVERY_SECONDS, 's'),
    none(
      `${title}: wrong responses`,
      failuresOf(samples).filter((outcome) => outcome === 'wrong answer'),
      samples.length,
    ),
  ];
};

const silence = async (run: Run, url: string): Promise<Measurement[]> => {
  run.log('established connections go silent');
  const scene = await stage(run, url);
  const measurements = await measureFault(scene, 'silent connections', scene.proxy.freeze);
  await delay(1_000);
  const dead = scene.proxy.frozenCount();
  await scene.gateway.kill();
  return [...measurements, atMost('silent connections: dead ones still held', dead, 0)];
};

/** SIGTERM while the database does not respond. */
const terminationDuringSilence = async (run: Run, url: string): Promise<Measurement> => {
  run.log('SIGTERM while the database is silent');
  const limits = { REQUEST_TIMEOUT_MS: '6000', STATEMENT_TIMEOUT_MS: '4000' };
  const { proxy, gateway } = await stage(run, url, limits);
  const stopLoad = startLoad(gateway.url, 12);
  await delay(1_500);
  proxy.freeze();
  await delay(500);
  const seconds = await gateway.terminate(40_000);
  await stopLoad();
  return atMost(
    'silent connections: SIGTERM ends the process (request timeout 6 s)',
    seconds ?? Number.POSITIVE_INFINITY,
    TERMINATION_SECONDS,
    's',
  );
};

const restart = async (run: Run, scene: Stage): Promise<Measurement[]> => {
  run.log('PostgreSQL restarts');
  const { server } = run.world;
  return measureFault(scene, 'restart of PostgreSQL', async () => {
    await server.stop();
    await server.start();
  });
};

/** Unique queries, so that no response comes from a cache. */
const PAGES: Readonly<Record<string, (upTo: number) => string>> = {
  'a small page': (upTo) =>
    `{ viewer { kind } events(first: 10, filter: { id: { before: ${upTo} } }) { nodes { id type createdBy } } }`,
  'a page with total, features and projects': (upTo) =>
    `{ events(first: 10, filter: { id: { before: ${upTo} } }) { totalCount nodes { id feature { name } project { name } } } }`,
};

const medianOf = async (url: string, page: (upTo: number) => string, from: number) => {
  const times: number[] = [];
  for (let index = 0; index < 9; index += 1) {
    const startedAt = performance.now();
    await sendGraphQL(url, page(from + index), { token: TOKENS.honest });
    times.push(performance.now() - startedAt);
  }
  return percentile(times, 0.5);
};

const roundTrips = async (run: Run, { proxy, gateway }: Stage): Promise<Measurement[]> => {
  run.log(`${DELAY_MS} ms added latency to the database`);
  const measurements: Measurement[] = [];
  for (const [title, page] of Object.entries(PAGES)) {
    await medianOf(gateway.url, page, 1_000);
    const near = await medianOf(gateway.url, page, 1_100);
    proxy.setDelay(DELAY_MS);
    const far = await medianOf(gateway.url, page, 1_200);
    proxy.setDelay(0);
    measurements.push(
      atMost(
        `+${DELAY_MS} ms to the database: round trips of ${title}`,
        Math.round((far - near) / DELAY_MS),
        ROUND_TRIPS,
        '',
        `p50 ${Math.round(near)} → ${Math.round(far)} ms`,
      ),
    );
  }
  return measurements;
};

/** Cuts database responses off in the middle: the client may get an error, but never a partial response. */
const cuts = async (run: Run, { proxy, gateway }: Stage): Promise<Measurement> => {
  run.log('database responses are cut off');
  const honest = await startHonestClient(gateway.url, { everyMs: 40 });
  for (let cut = 0; cut < run.sized({ short: 20, long: 200 }); cut += 1) {
    proxy.cutAfter(1 + ((cut * 397) % 6_000));
    await delay(150);
    proxy.stopCutting();
    await delay(50);
  }
  const samples = await honest.stop();
  const bad = failuresOf(samples).filter((outcome) => !['503', '504'].includes(outcome));
  return none(
    'database responses cut off: responses that are neither correct nor 503 or 504',
    bad,
    samples.length,
  );
};

export const deadPeers: Experiment = {
  name: 'dead-peers',
  summary: 'a database that goes silent, restarts, half-closes, cuts responses off or is slow',
  run: async (run) => {
    const url = await run.world.copy(run.scope, 'dead_peers');
    const measurements = await silence(run, url);
    measurements.push(await terminationDuringSilence(run, url));

    const scope = createScope();
    try {
      const scene = await stage({ ...run, scope }, url);
      measurements.push(...(await roundTrips(run, scene)));
      run.log('connections are half-closed');
      measurements.push(
        ...(await measureFault(scene, 'half-closed connections', scene.proxy.halfClose)),
      );
      measurements.push(await cuts(run, scene));
      measurements.push(...(await restart(run, scene)));
      measurements.push(
        holds(
          'gateway alive after all faults',
          scene.gateway.isAlive(),
          scene.gateway.isAlive() ? 'alive' : 'dead',
          'alive',
        ),
      );
    } finally {
      await scope.close();
    }
    return measurements;
  },
};
