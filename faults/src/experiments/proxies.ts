import { setTimeout as delay } from 'node:timers/promises';
import { cursorNow, exactlyOnce, startFollower, untilArrived } from '../clients/follower.js';
import { failuresOf, startHonestClient } from '../clients/honest-client.js';
import {
  atLeast,
  type Experiment,
  holds,
  type Measurement,
  none,
  type Run,
  summarise,
} from '../experiment.js';
import { createScope } from '../scope.js';
import { type Balancer, startHaproxy, startNginx } from '../servers/balancers.js';
import { type GatewayProcess, startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';
import { committedMarks, startWriter } from '../world/writer.js';

const DATABASE = 'proxies';
const LEAST_REQUESTS = 1_000;
const STREAMS = 4;
const STOP_LIMIT_MS = 60_000;
/** Longer than a load balancer needs to notice that /readyz has changed. */
const ENV = { ...UNLIMITED, SHUTDOWN_DELAY_MS: '1500' };

const measure = async (
  run: Run,
  title: string,
  balance: Balancer,
  databaseUrl: string,
): Promise<Measurement[]> => {
  run.log(`rolling restart behind ${title}`);
  const { scope, world } = run;
  const start = (port?: number): Promise<GatewayProcess> =>
    startGateway(scope, databaseUrl, { env: ENV, ...(port !== undefined && { port }) });
  const gateways = [await start(), await start()];
  const url = await balance(
    scope,
    gateways.map(({ port }) => port),
  );
  await delay(1_000);

  const cursor = await cursorNow(url, TOKENS.follower);
  const followers = Array.from({ length: STREAMS }, () =>
    startFollower(() => url, TOKENS.follower, cursor),
  );
  for (const follower of followers) scope.onClose(follower.stop);
  const writer = startWriter(() => databaseUrl, title, 100);
  scope.onClose(writer.stop);
  const honest = await startHonestClient(url, { everyMs: 10 });
  await delay(1_000);

  const ended: string[] = [];
  for (const gateway of gateways) {
    const seconds = await gateway.terminate(STOP_LIMIT_MS);
    if (seconds === undefined) ended.push('killed');
    await start(gateway.port);
    await delay(2_500);
  }
  while (honest.samples.length < LEAST_REQUESTS + 100) await delay(200);
  const samples = await honest.stop();
  await writer.stop();

  const committed = await committedMarks(world.server, DATABASE, title);
  await untilArrived(followers, committed);
  const wrong = followers.flatMap((follower) => exactlyOnce(follower, committed));
  const endings = followers.flatMap((follower) => [...follower.endings]);
  for (const follower of followers) await follower.stop();
  const isResumable = endings.length > 0 && endings.every((ending) => ending === 'complete');
  return [
    none(`${title}: failed requests during a rolling restart`, failuresOf(samples), samples.length),
    atLeast(`${title}: requests sent`, samples.length, LEAST_REQUESTS),
    none(`${title}: gateways that had to be killed`, ended, gateways.length),
    holds(
      `${title}: streams end with a resumable close`,
      isResumable,
      summarise(endings) || 'none ended',
      'all',
    ),
    none(
      `${title}: events that did not reach a stream exactly once`,
      wrong,
      committed.length * STREAMS,
    ),
  ];
};

export const proxies: Experiment = {
  name: 'proxies',
  summary: 'rolling restarts of two instances behind nginx and HAProxy',
  run: async (run) => {
    const url = await run.world.copy(run.scope, DATABASE);
    const measurements: Measurement[] = [];
    for (const [title, balance] of [
      ['nginx', startNginx],
      ['HAProxy', startHaproxy],
    ] as const) {
      const scope = createScope();
      try {
        measurements.push(...(await measure({ ...run, scope }, title, balance, url)));
      } finally {
        await scope.close();
      }
    }
    return measurements;
  },
};
