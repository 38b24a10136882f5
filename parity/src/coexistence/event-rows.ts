import type { Checks } from './checks.js';
import { announced, DELIVERY_LIMIT_MS, delivered, NOTICE_LIMIT_MS } from './clone-propagation.js';
import { readEvents, wrongNumbers } from './deliveries.js';
import { CLONE_BY, TRANSPORTS } from './requests.js';
import { createSdk } from './sdk.js';
import { FULL_SOURCE, type Stage } from './stage.js';
import { startWatch, until } from './watch.js';
import { installWriteLog, type WriteLog } from './write-log.js';

const CLONES = 30;
const LANES = 3;
const CHANGERS = 6;
/** Other transactions update the same event counters; newer versions of upstream lock them for whole transactions. */
const COMMIT_LIMIT_MS = 2_000;
const BURST_LIMIT_MS = 60_000;
const MANY = 'many-strategies';

const wrongOrder = async ({ sql }: Stage, name: string): Promise<string[]> => {
  const row = await sql.one<{ first: string; earliest: string; is_ascending: boolean }>(
    `select (array_agg(type order by id))[1] as first, (array_agg(type order by created_at))[1] as earliest,
       coalesce(bool_and(created_at > before), true) as is_ascending
     from (select *, lag(created_at) over (order by id) as before from events where feature_name = $1) e`,
    [name],
  );
  return [
    ...(row.first === 'feature-created' ? [] : [`${name}: the lowest ID is ${row.first}`]),
    ...(row.earliest === 'feature-created' ? [] : [`${name}: the earliest is ${row.earliest}`]),
    ...(row.is_ascending ? [] : [`${name}: timestamps do not ascend with the IDs`]),
  ];
};

const clockOf = async ({ sql }: Stage): Promise<string> =>
  (await sql.one<{ now: string }>('select clock_timestamp()::text as now')).now;

/** The timestamps of a clone's events must be between its request and its response, by the database clock. */
const wrongTimes = async (stage: Stage, name: string, from: string, to: string) => {
  const row = await stage.sql.one<{ least: string; most: string; is_within: boolean }>(
    `select min(created_at)::text as least, max(created_at)::text as most,
       min(created_at) >= $2 and max(created_at) <= $3 as is_within from events where feature_name = $1`,
    [name, from, to],
  );
  return row.is_within ? [] : [`${name}: ${row.least} to ${row.most}, not ${from} to ${to}`];
};

const calmClones = async (stage: Stage, checks: Checks, label: string): Promise<string[]> => {
  const wrong: string[] = [];
  const names: string[] = [];
  for (const transport of TRANSPORTS) {
    const name = `${label}-${transport}`;
    const from = await clockOf(stage);
    const authorization = stage.as('adminToken');
    const request = { source: FULL_SOURCE, name, authorization };
    const response = await CLONE_BY[transport](stage.gateway.url, request);
    if (!response.isCreated) throw new Error(`${name} was not created: ${response.text}`);
    wrong.push(...(await wrongTimes(stage, name, from, await clockOf(stage))));
    names.push(name);
  }
  checks.none('event timestamps are wall-clock times between request and response', wrong);
  return names;
};

type Change = { method: string; path: string; body: object };

/** Changes to one environment, to another one, and to none. */
const CHANGES: readonly ((round: number) => Change)[] = [
  ...['development', 'production'].map((environment) => (round: number) => ({
    method: 'POST',
    path: `/environments/${environment}/${round % 2 === 0 ? 'on' : 'off'}`,
    body: {},
  })),
  (round) => ({ method: 'PUT', path: '', body: { description: `turn ${round}`, type: 'release' } }),
];

/** Changes features through upstream as fast as possible. */
const startChanging = (stage: Stage, names: readonly string[]) => {
  let isStopped = false;
  const change = async (name: string, index: number) => {
    const changeOf = CHANGES[index % CHANGES.length];
    for (let round = 0; changeOf && !isStopped; round++) {
      const { method, path, body } = changeOf(round);
      await stage.api(method, `/api/admin/projects/default/features/${name}${path}`, body);
    }
  };
  const done = Promise.all(names.map(change));
  done.catch(() => undefined);
  return {
    done,
    end: () => {
      isStopped = true;
    },
  };
};

/**
 * Upstream polls the largest event ID once a second. An ID allocated early and committed late would be skipped, and its
 * feature not served. The changes stop while the last clones are in flight, so no later event hides a skipped one.
 */
const concurrentClones = async (stage: Stage, checks: Checks, label: string): Promise<string[]> => {
  const sdk = createSdk(stage);
  const changed = Array.from({ length: CHANGERS }, (_, index) => `${label}-changed-${index}`);
  for (const name of changed) {
    await stage.api('POST', '/api/admin/projects/default/features', { name, type: 'release' });
  }
  const changing = startChanging(stage, changed);
  const names = Array.from({ length: CLONES }, (_, index) => `${label}-many-${index}`);
  const pending = [...names];
  const rejected: string[] = [];
  const cloned: string[] = [];
  const run = async () => {
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      const transport = TRANSPORTS[pending.length % TRANSPORTS.length] ?? 'REST';
      const authorization = stage.as('adminToken');
      const source = pending.length % 3 === 0 ? MANY : FULL_SOURCE;
      const request = { source, name, authorization };
      const response = await CLONE_BY[transport](stage.gateway.url, request);
      if (pending.length === 0) changing.end();
      if (!response.isCreated)
        rejected.push(`${name}: ${response.status} ${response.text.slice(0, 300)}`);
      else cloned.push(name);
    }
  };
  // Upstream caches its response under the largest event ID it has seen, so it must be polled continuously.
  const polling = until(BURST_LIMIT_MS, async () => {
    await sdk.poll();
    return cloned.length + rejected.length === CLONES ? true : undefined;
  });
  try {
    await Promise.all([polling, ...Array.from({ length: LANES }, run)]);
  } finally {
    changing.end();
  }
  await changing.done;

  const watches = {
    served: startWatch(sdk.serves, NOTICE_LIMIT_MS),
    announced: startWatch(announced(stage), NOTICE_LIMIT_MS),
    delivered: startWatch(delivered(stage), DELIVERY_LIMIT_MS),
  };
  for (const name of cloned) {
    for (const watch of Object.values(watches)) watch.expect(name, Date.now());
  }
  checks.none(`${CLONES} clones while upstream changes features as fast as possible`, rejected);
  const served = await watches.served.settle();
  checks.inTime('afterwards the SDK endpoint serves each of them', NOTICE_LIMIT_MS, served);
  checks.inTime(
    'all their events are announced',
    NOTICE_LIMIT_MS,
    await watches.announced.settle(),
  );
  checks.inTime(
    'all their events are delivered',
    DELIVERY_LIMIT_MS,
    await watches.delivered.settle(),
  );
  const events = await readEvents(stage.sql, names);
  checks.none('all their events are delivered once', await wrongNumbers(stage, events));
  return names;
};

const checkLog = async (checks: Checks, log: WriteLog, names: readonly string[]) => {
  const { wrong, slowestMs } = await log.check(names);
  checks.none('a clone is one transaction and writes its events last', wrong);
  checks.inTime('a clone commits promptly after its first event', COMMIT_LIMIT_MS, {
    slowestMs,
    late: slowestMs > COMMIT_LIMIT_MS ? [`${slowestMs} ms`] : [],
  });
};

/** A clone writes its events last, in order, with wall-clock timestamps, and upstream misses none. */
export const eventRows = async (stage: Stage, checks: Checks, label: string): Promise<void> => {
  const log = await installWriteLog(stage.sql);
  try {
    const calm = await calmClones(stage, checks, label);
    const busy = await concurrentClones(stage, checks, label);
    const wrong: string[] = [];
    for (const name of [...calm, ...busy]) wrong.push(...(await wrongOrder(stage, name)));
    checks.none('feature-created comes first, and timestamps ascend with the IDs', wrong);
    await checkLog(checks, log, [...calm, ...busy]);
  } finally {
    await log.remove();
  }
};
