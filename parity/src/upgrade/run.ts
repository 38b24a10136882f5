import { firstDifference } from '../diff.js';
import { startGateway } from '../gateway.js';
import { type Answer, send } from '../http.js';
import { migrateOriginal, startOriginal } from '../original.js';
import type { Check, Part } from '../part.js';
import { fillDatabase } from '../world/filled-database.js';
import { openSql, type Sql } from '../world/sql.js';
import { releaseBackgroundWork } from '../world/standstill.js';
import type { World } from '../world/world.js';
import { watchLocks } from './locks.js';
import { type Probe, probesOf, SOURCE } from './requests.js';
import { judgeTokens } from './tokens.js';
import { startTraffic, type Travelled } from './traffic.js';

const NEWEST = '8.2.0';
/** How long the migrations take says little: they share the processor with those who ask. That they end does. */
const LONGEST_MIGRATION_MS = 120_000;
const LONGEST_LOCK_MS = 1_000;

const timeOf = async (work: () => Promise<void>): Promise<number> => {
  const begun = Date.now();
  await work();
  return Date.now() - begun;
};

const askAll = async (url: string, probes: readonly Probe[]) => {
  const answers: { probe: Probe; answer: Answer }[] = [];
  for (const probe of probes) answers.push({ probe, answer: await send(url, probe.wire) });
  return answers;
};

type Answers = Awaited<ReturnType<typeof askAll>>;

const check = (what: string, difference: string | undefined): Check => ({
  what,
  ...(difference !== undefined && { difference }),
});

/** Comparing would prove nothing if everything were refused from the beginning. */
const answeredAsMeant = (answers: Answers): Check[] =>
  answers.map(({ probe, answer: { status, text } }) => {
    const isMeant = status === probe.status && !text.startsWith('{"errors"');
    return check(
      `before the migration: ${probe.what}`,
      isMeant ? undefined : `${status} ${text.slice(0, 300)}`,
    );
  });

const sameAnswers = (label: string, expected: Answers, found: Answers): Check[] =>
  expected.map(({ probe, answer }, index) => {
    const other = found[index]?.answer;
    const view = (of: Answer | undefined) => ({
      status: of?.status,
      body: of && of.status < 400 ? of.json : undefined,
    });
    return check(`${label}: ${probe.what}`, firstDifference(view(answer), view(other), 'answer'));
  });

/** Rows of each clone: one that was reported as made is whole, any other has left nothing behind. */
const judgeClones = async (sql: Sql, { made, failed }: Travelled): Promise<Check[]> => {
  const rows = await sql.query<{ name: string; strategies: number; events: number }>(
    `select f.name, (select count(*)::int from feature_strategies s where s.feature_name = f.name) as strategies,
       (select count(*)::int from events e where e.feature_name = f.name) as events
     from features f where f.name like 'upgrade-%' or f.name = $1`,
    [SOURCE],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  const strategies = found.get(SOURCE)?.strategies ?? 0;
  const broken = made.filter((name) => {
    const copy = found.get(name);
    return copy?.strategies !== strategies || copy.events < strategies + 1;
  });
  const left = failed.filter((name) => found.has(name));
  return [
    check('clones reported as made are whole', broken.length > 0 ? broken.join(', ') : undefined),
    check('clones not made have left nothing', left.length > 0 ? left.join(', ') : undefined),
    check('clones were made', made.length > 0 ? undefined : 'none was'),
  ];
};

const judgeTraffic = (when: string, { right, refused, faults, longestMs }: Travelled): Check[] => [
  check(
    `every answer ${when} is right or a refusal to try again (${right} right, ${refused} refused, longest ${longestMs} ms)`,
    faults.size > 0
      ? [...faults].map(([what, fault]) => `${what}: ${fault}`).join('\n')
      : undefined,
  ),
];

const probeStatus = async (url: string, path: string): Promise<string | undefined> => {
  const { status, text } = await send(url, { method: 'GET', path, headers: {} });
  return status === 200 ? undefined : `${status} ${text}`;
};

const upgrade = async (
  { url, copy, world }: { url: string; copy: string; world: World },
  program: string | undefined,
  tell: (message: string) => void,
): Promise<Check[]> => {
  const aloneMs = await timeOf(() => migrateOriginal(NEWEST, copy));
  const gateway = await startGateway(url, program === undefined ? {} : { program });
  const sql = await openSql(url);
  try {
    const probes = probesOf(world);
    const before = await askAll(gateway.url, probes);
    tell(`Migrating to ${NEWEST} while requests flow`);
    const traffic = startTraffic(gateway.url, world, before);
    await traffic.rounds(4);
    const stopWatching = await watchLocks(url);
    const besideMs = await timeOf(() => migrateOriginal(NEWEST, url));
    const heldUpMs = await stopWatching();
    await traffic.rounds(8);
    const travelled = await traffic.stop();

    tell('Comparing with a gateway and an original started afterwards');
    const after = await askAll(gateway.url, probes);
    const fresh = await startGateway(url, program === undefined ? {} : { program });
    const original = await startOriginal(NEWEST, url, {
      announces: false,
      isOpenSource: false,
      env: {
        UNLEASH_EXPERIMENTAL_SECURE_TOKEN: 'true',
        UNLEASH_EXPERIMENTAL_SECURE_ACCOUNT_TOKEN: 'true',
      },
    });
    try {
      return [
        ...answeredAsMeant(before),
        ...judgeTraffic('during the migration', travelled),
        check(
          `the migration ends (${aloneMs} ms alone, ${besideMs} ms beside requests)`,
          besideMs > LONGEST_MIGRATION_MS ? 'it took far too long' : undefined,
        ),
        check(
          `it never waits long for a lock of the gateway (${heldUpMs} ms at most)`,
          heldUpMs > LONGEST_LOCK_MS ? `it waited ${heldUpMs} ms` : undefined,
        ),
        ...(await judgeClones(sql, travelled)),
        check('the gateway is alive', await probeStatus(gateway.url, '/livez')),
        check('the gateway is ready', await probeStatus(gateway.url, '/readyz')),
        ...sameAnswers('after the migration as before', before, after),
        ...sameAnswers('as a gateway started afterwards', await askAll(fresh.url, probes), after),
        ...(await judgeTokens({ world, gateway: gateway.url, original: original.url, sql })),
      ];
    } finally {
      await Promise.all([fresh.stop(), original.stop()]);
    }
  } finally {
    await sql.close();
    await gateway.stop();
  }
};

/** The original is upgraded to the newest version under a gateway that runs and is in use. */
export const runUpgrade: Part = async ({ databases, version, progress, gateway }) => {
  if (version === NEWEST) return [];
  const tell = (message: string) => progress.tell(`${version}: ${message}`);
  const { url, world } = await fillDatabase(databases, version, { tell });
  const sql = await openSql(url);
  await releaseBackgroundWork(sql).finally(sql.close);
  const copy = await databases.copy(url, `alone_${version.replaceAll('.', '_')}`);
  return upgrade({ url, copy, world }, gateway, tell);
};
