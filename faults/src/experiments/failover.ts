import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../test/testkit/free-port.js';
import { cloneCall } from '../clients/clones.js';
import { cursorNow, exactlyOnce, startFollower, untilArrived } from '../clients/follower.js';
import { failuresOf, startHonestClient } from '../clients/honest-client.js';
import { send, sendGraphQL } from '../clients/http.js';
import { startLoad } from '../clients/load.js';
import { recoveryAfter } from '../clients/recovery.js';
import { repeat } from '../clients/repeat.js';
import { atMost, type Experiment, type Measurement, none, type Run } from '../experiment.js';
import { createScope } from '../scope.js';
import { type FaultProxy, startFaultProxy } from '../servers/fault-proxy.js';
import { startGateway, UNLIMITED } from '../servers/gateway.js';
import { createPostgres, type PostgresServer } from '../servers/postgres.js';
import { fillWorld } from '../world/fill.js';
import { TOKENS } from '../world/tokens.js';
import { committedMarks, startWriter } from '../world/writer.js';

const DATABASE = 'world';
const EVENTS = 2_500;
const RECOVERY_SECONDS = 20;
const CATCH_UP_MS = 15_000;
/** Connections to the old primary that stay open. */
const OLD_CONNECTIONS = 5;
const [FOLLOWERS, WRITERS] = [3, 3];

type Pair = { old: PostgresServer; next: PostgresServer; proxy: FaultProxy };

/** Stops writes on the old primary, as a switchover does, and waits until the standby has caught up. */
const demote = async ({ old, next }: Pair): Promise<void> => {
  await old.query('postgres', 'alter system set default_transaction_read_only = on');
  await old.query('postgres', 'select pg_reload_conf()');
  await delay(200);
  const [end] = await old.query<{ lsn: string }>(
    'postgres',
    'select pg_current_wal_lsn()::text as lsn',
  );
  for (const deadline = Date.now() + CATCH_UP_MS; Date.now() < deadline; await delay(20)) {
    const [state] = await next.query<{ done: boolean }>(
      'postgres',
      'select pg_last_wal_replay_lsn() >= $1::pg_lsn as done',
      [end?.lsn],
    );
    if (state?.done) return;
  }
  throw new Error('The standby did not catch up.');
};

type Scenario = { title: string; fail(pair: Pair): Promise<void> };

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'old primary dies',
    fail: async ({ old, next, proxy }) => {
      await old.stop('SIGQUIT');
      await next.promote();
      proxy.retarget(next.port);
    },
  },
  {
    title: 'old primary stays up read-only',
    fail: async (pair) => {
      await demote(pair);
      await pair.next.promote();
      pair.proxy.retarget(pair.next.port);
      // With connections to both servers, one statement may read data that the next one can't see.
      pair.proxy.reset(OLD_CONNECTIONS);
    },
  },
  {
    title: 'old connections go silent',
    fail: async (pair) => {
      await demote(pair);
      pair.proxy.retarget(await freePort());
      pair.proxy.freeze();
      await pair.next.promote();
      pair.proxy.retarget(pair.next.port);
    },
  },
];

const measure = async (
  run: Run,
  origin: PostgresServer,
  { title, fail }: Scenario,
): Promise<Measurement[]> => {
  run.log(title);
  const { scope } = run;
  const old = await origin.createStandby();
  scope.onClose(old.remove);
  await old.promote();
  const next = await old.createStandby();
  scope.onClose(next.remove);
  const proxy = await startFaultProxy(scope, old.port);
  const { url } = await startGateway(scope, proxy.through(old.urlOf(DATABASE)), { env: UNLIMITED });

  const cursor = await cursorNow(url, TOKENS.follower);
  const followers = Array.from({ length: FOLLOWERS }, () =>
    startFollower(() => url, TOKENS.follower, cursor),
  );
  for (const follower of followers) scope.onClose(follower.stop);
  let primary = old;
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    startWriter(() => primary.urlOf(DATABASE), `w${index}`, 15),
  );
  for (const writer of writers) scope.onClose(writer.stop);
  await sendGraphQL(url, '{ viewer { kind } }', { token: TOKENS.revoked });
  const honest = await startHonestClient(url, { everyMs: 100 });
  // Keeps all connections of the pool open and in use.
  const stopLoad = startLoad(url, 8);
  const clones = repeat(400, async (round) => {
    const call = cloneCall('REST', { name: `clone-${round}`, token: TOKENS.cloner });
    const { status } = await send(url, call);
    return [200, 503, 504].includes(status) ? null : String(status);
  });
  await delay(run.sized({ short: 2, long: 10 }) * 1000);

  const faultAt = honest.now();
  await fail({ old, next, proxy });
  primary = next;
  await next.query(DATABASE, 'delete from personal_access_tokens where secret = $1', [
    TOKENS.revoked,
  ]);
  const revoked = repeat(100, async () => {
    const { status } = await sendGraphQL(url, '{ viewer { kind } }', { token: TOKENS.revoked });
    return status === 200 ? `${status}` : null;
  });
  const recovery = await recoveryAfter(honest, faultAt);
  await delay(run.sized({ short: 2, long: 10 }) * 1000);
  const samples = await honest.stop();
  await stopLoad();
  const [cloned, accepted] = [await clones(), await revoked()];
  for (const writer of writers) await writer.stop();

  const committed = await committedMarks(next, DATABASE);
  await untilArrived(followers, committed);
  const wrong = followers.flatMap((follower) => exactlyOnce(follower, committed));
  for (const follower of followers) await follower.stop();
  const unexpected = failuresOf(samples).filter((outcome) => outcome === 'wrong answer');
  return [
    atMost(`${title}: recovery`, recovery, RECOVERY_SECONDS, 's'),
    none(
      `${title}: committed events that did not reach a follower exactly once`,
      wrong,
      committed.length * FOLLOWERS,
    ),
    none(`${title}: clones with a response other than 200, 503 or 504`, cloned.found, cloned.count),
    none(`${title}: revoked token accepted`, accepted.found, accepted.count),
    none(`${title}: wrong responses`, unexpected, samples.length),
  ];
};

export const failover: Experiment = {
  name: 'failover',
  summary: 'promotion of a standby; every committed event reaches every follower exactly once',
  run: async (run) => {
    const origin = await createPostgres();
    run.scope.onClose(origin.remove);
    await origin.query('postgres', `create database ${DATABASE} template template0`);
    await fillWorld(origin.urlOf(DATABASE), EVENTS);

    const measurements: Measurement[] = [];
    for (const scenario of SCENARIOS) {
      const scope = createScope();
      try {
        measurements.push(...(await measure({ ...run, scope }, origin, scenario)));
      } finally {
        await scope.close();
      }
    }
    return measurements;
  },
};
