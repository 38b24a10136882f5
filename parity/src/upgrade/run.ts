import { firstDifference } from '../diff.js';
import { startGateway } from '../gateway.js';
import { type HttpResponse, send } from '../http.js';
import type { Check, Part } from '../part.js';
import { migrateUpstream, startUpstream } from '../upstream.js';
import { fillDatabase } from '../world/filled-database.js';
import { resumeBackgroundWork } from '../world/pause-background-work.js';
import { openSql, type Sql } from '../world/sql.js';
import type { World } from '../world/world.js';
import { watchLocks } from './locks.js';
import { limitedCloneRequest, type Probe, probesOf, SOURCE } from './requests.js';
import { checkTokens } from './tokens.js';
import { startTraffic, type TrafficResult } from './traffic.js';

const NEWEST = '8.2.0';
/** Only detects migrations that hang: their duration says little, because requests use the same CPU. */
const LONGEST_MIGRATION_MS = 120_000;
const LONGEST_LOCK_MS = 1_000;

const timeOf = async (work: () => Promise<void>): Promise<number> => {
  const startedAt = Date.now();
  await work();
  return Date.now() - startedAt;
};

const sendAll = async (url: string, probes: readonly Probe[]) => {
  const responses: { probe: Probe; response: HttpResponse }[] = [];
  for (const probe of probes) responses.push({ probe, response: await send(url, probe.wire) });
  return responses;
};

type Responses = Awaited<ReturnType<typeof sendAll>>;

const check = (what: string, difference: string | undefined): Check => ({
  what,
  ...(difference !== undefined && { difference }),
});

/** If every request were rejected before the migration, the comparison would prove nothing. */
const respondedAsExpected = (responses: Responses): Check[] =>
  responses.map(({ probe, response: { status, text } }) => {
    const isMeant = status === probe.status && !text.startsWith('{"errors"');
    return check(
      `before the migration: ${probe.what}`,
      isMeant ? undefined : `${status} ${text.slice(0, 300)}`,
    );
  });

const sameResponses = (label: string, expected: Responses, found: Responses): Check[] =>
  expected.map(({ probe, response }, index) => {
    const other = found[index]?.response;
    const view = (of: HttpResponse | undefined) => ({
      status: of?.status,
      body: of && of.status < 400 ? of.json : undefined,
    });
    return check(`${label}: ${probe.what}`, firstDifference(view(response), view(other), 'answer'));
  });

/** Checks that every clone reported as created is complete, and that every other one has left no rows. */
const checkClones = async (sql: Sql, { cloned, failed }: TrafficResult): Promise<Check[]> => {
  const rows = await sql.query<{ name: string; strategies: number; events: number }>(
    `select f.name, (select count(*)::int from feature_strategies s where s.feature_name = f.name) as strategies,
       (select count(*)::int from events e where e.feature_name = f.name) as events
     from features f where f.name like 'upgrade-%' or f.name = $1`,
    [SOURCE],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  const strategies = found.get(SOURCE)?.strategies ?? 0;
  const broken = cloned.filter((name) => {
    const copy = found.get(name);
    return copy?.strategies !== strategies || copy.events < strategies + 1;
  });
  const leftovers = failed.filter((name) => found.has(name));
  return [
    check('reported clones are complete', broken.length > 0 ? broken.join(', ') : undefined),
    check(
      'failed clones have left no rows',
      leftovers.length > 0 ? leftovers.join(', ') : undefined,
    ),
    check('clones were created', cloned.length > 0 ? undefined : 'none was'),
  ];
};

const checkTraffic = (
  when: string,
  { right, rejected, faults, longestMs }: TrafficResult,
): Check[] => [
  check(
    `every response ${when} is correct or a retryable error (${right} correct, ${rejected} rejected, slowest ${longestMs} ms)`,
    faults.size > 0
      ? [...faults].map(([what, fault]) => `${what}: ${fault}`).join('\n')
      : undefined,
  ),
];

const statusOfLimitedClone = async (url: string, world: World, name: string): Promise<number> =>
  (await send(url, limitedCloneRequest(world, name))).status;

/** 8.x rejects some clones that 6.x allows. The running gateway must do so too without a restart. */
const checkLimitedClone = async (
  world: World,
  { before, gateway, upstream }: { before: number; gateway: string; upstream: string },
): Promise<Check[]> => {
  const upstreamStatus = await statusOfLimitedClone(upstream, world, 'limited-original');
  const gatewayStatus = await statusOfLimitedClone(gateway, world, 'limited-after');
  return [
    check(
      'before the migration: a clone without permissions in an environment is created',
      before === 200 ? undefined : `the gateway returns ${before}`,
    ),
    check(
      'after the migration: a clone without permissions in an environment is rejected by both',
      upstreamStatus === 403 && gatewayStatus === 403
        ? undefined
        : `Unleash ${upstreamStatus}, the gateway ${gatewayStatus}`,
    ),
  ];
};

const probeStatus = async (url: string, path: string): Promise<string | undefined> => {
  const { status, text } = await send(url, { method: 'GET', path, headers: {} });
  return status === 200 ? undefined : `${status} ${text}`;
};

const upgrade = async (
  { url, copy, world }: { url: string; copy: string; world: World },
  program: string | undefined,
  onProgress: (message: string) => void,
): Promise<Check[]> => {
  const aloneMs = await timeOf(() => migrateUpstream(NEWEST, copy));
  const gateway = await startGateway(url, program === undefined ? {} : { program });
  const sql = await openSql(url);
  try {
    const probes = probesOf(world);
    const before = await sendAll(gateway.url, probes);
    const limitedBefore = await statusOfLimitedClone(gateway.url, world, 'limited-before');
    onProgress(`Migrating to ${NEWEST} during requests`);
    const traffic = startTraffic(gateway.url, world, before);
    await traffic.rounds(4);
    const stopWatching = await watchLocks(url);
    const besideMs = await timeOf(() => migrateUpstream(NEWEST, url));
    const lockWaitMs = await stopWatching();
    await traffic.rounds(8);
    const trafficResult = await traffic.stop();

    onProgress('Comparing with a newly started gateway and upstream');
    const after = await sendAll(gateway.url, probes);
    const fresh = await startGateway(url, program === undefined ? {} : { program });
    const upstream = await startUpstream(NEWEST, url, {
      announces: false,
      isOpenSource: false,
      env: {
        UNLEASH_EXPERIMENTAL_SECURE_TOKEN: 'true',
        UNLEASH_EXPERIMENTAL_SECURE_ACCOUNT_TOKEN: 'true',
      },
    });
    try {
      return [
        ...respondedAsExpected(before),
        ...checkTraffic('during the migration', trafficResult),
        check(
          `the migration completes (${aloneMs} ms alone, ${besideMs} ms during requests)`,
          besideMs > LONGEST_MIGRATION_MS ? 'it took too long' : undefined,
        ),
        check(
          `the migration never waits long for a lock of the gateway (${lockWaitMs} ms at most)`,
          lockWaitMs > LONGEST_LOCK_MS ? `it waited ${lockWaitMs} ms` : undefined,
        ),
        ...(await checkClones(sql, trafficResult)),
        check('the gateway is alive', await probeStatus(gateway.url, '/livez')),
        check('the gateway is ready', await probeStatus(gateway.url, '/readyz')),
        ...sameResponses('same response after the migration', before, after),
        ...sameResponses(
          'same response as a newly started gateway',
          await sendAll(fresh.url, probes),
          after,
        ),
        ...(await checkLimitedClone(world, {
          before: limitedBefore,
          gateway: gateway.url,
          upstream: upstream.url,
        })),
        ...(await checkTokens({ world, gateway: gateway.url, upstream: upstream.url, sql })),
      ];
    } finally {
      await Promise.all([fresh.stop(), upstream.stop()]);
    }
  } finally {
    await sql.close();
    await gateway.stop();
  }
};

/** Upgrades upstream to the newest version while a running gateway serves requests. */
export const runUpgrade: Part = async ({ databases, version, progress, gateway }) => {
  if (version === NEWEST) return [];
  const onProgress = (message: string) => progress.log(`${version}: ${message}`);
  const { url, world } = await fillDatabase(databases, version, { onProgress });
  const sql = await openSql(url);
  await resumeBackgroundWork(sql).finally(sql.close);
  const copy = await databases.copy(url, `alone_${version.replaceAll('.', '_')}`);
  return upgrade({ url, copy, world }, gateway, onProgress);
};
