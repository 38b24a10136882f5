import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type AttackOptions, startAttack } from '../attacks/attack.js';
import type { AttackName } from '../attacks/attacks.js';
import { failuresOf, sendHonestCalls, startHonestClient } from '../clients/honest-client.js';
import {
  atMost,
  countedOf,
  type Experiment,
  holds,
  type Measurement,
  none,
  type Run,
} from '../experiment.js';
import { type GatewayProcess, readMetric, startGateway } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';

/** Maximum growth of live data by an attack: initially empty caches fill up to their limits. */
const GROWTH_MB = 96;
const SETTLE_SECONDS = 3;
const LARGE_EVENTS = 1_000;
const LARGE_BYTES = 20_000;

/**
 * Inserts the newest events, so that every page includes them, with payloads as large as those of imports and segments.
 */
const addLargeEvents = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into events (type, created_by, created_by_user_id, project, feature_name, data, tags)
     select 'feature-updated', 'user2@example.com', 2, 'payments', 'feature-00101',
       json_build_object('name', 'feature-00101', 'text', (select string_agg(md5(n || '/' || m), '') from generate_series(1, $2::int / 32) m)), '[]'
     from generate_series(1, $1::int) n`,
    [LARGE_EVENTS, LARGE_BYTES],
  );
  await client.end();
};

/** The heap in use right after a garbage collection: the minimum of several samples under light traffic. */
const liveHeapMb = async (gateway: GatewayProcess): Promise<number> => {
  const traffic = sendHonestCalls(gateway.url, SETTLE_SECONDS, { everyMs: 20 }).catch(() => []);
  let min = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SETTLE_SECONDS * 5; sample += 1) {
    await delay(200);
    min = Math.min(min, await readMetric(gateway.url, 'nodejs_heap_size_used_bytes'));
  }
  await traffic;
  return min / 2 ** 20;
};

type Case = {
  title: string;
  attack: AttackName;
  options: Omit<AttackOptions, 'url' | 'seed'>;
  /** Stops the attack after this many seconds. Default: runs to completion. */
  seconds?: number;
};

const casesOf = ({ sized }: Run): Case[] => [
  {
    title: 'rejected documents of 1 MB without a token',
    attack: 'rejectedDocuments',
    options: { bytes: 1_000_000, count: sized({ short: 120, long: 1_000 }) },
  },
  {
    title: 'rejected documents of 1 MB with a token',
    attack: 'rejectedDocuments',
    options: {
      bytes: 1_000_000,
      count: sized({ short: 120, long: 1_000 }),
      token: TOKENS.attacker,
    },
  },
  {
    title: 'rejected documents of 110 KB without a token',
    attack: 'rejectedDocuments',
    options: { bytes: 110_000, count: sized({ short: 900, long: 3_000 }) },
  },
  {
    title: 'valid documents rejected for their cost',
    attack: 'costlyDocuments',
    options: { count: sized({ short: 450, long: 3_000 }), token: TOKENS.attacker },
  },
  {
    title: '50 aliases of large pages',
    attack: 'aliases',
    options: { count: sized({ short: 3, long: 20 }), token: TOKENS.attacker },
  },
  {
    title: 'sockets that do not read large responses',
    attack: 'nonReadingSockets',
    options: { count: sized({ short: 100, long: 300 }), token: TOKENS.attacker },
    seconds: sized({ short: 45, long: 90 }),
  },
];

type Subject = { gateway: GatewayProcess; heapMb: number };

const startSubject = async ({ scope }: Run, url: string): Promise<Subject> => {
  // Not in production mode, which rejects anonymous documents before reading them.
  const gateway = await startGateway(scope, url, { env: { NODE_ENV: 'development' } });
  return { gateway, heapMb: await liveHeapMb(gateway) };
};

/** Attacks a gateway and compares its memory before and after. */
const measure = async (
  { scope, seed, log }: Run,
  subject: Subject,
  { title, attack, options, seconds }: Case,
): Promise<Measurement[]> => {
  log(title);
  const { gateway, heapMb: before } = subject;
  const honest = await startHonestClient(gateway.url, { everyMs: 100 });
  const attacking = await startAttack(scope, attack, { url: gateway.url, seed, ...options });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, gateway.residentMb());
  }, 100);
  if (seconds !== undefined) await Promise.race([delay(seconds * 1000), attacking.ended]);
  const { responses, held } = await (seconds === undefined ? attacking.ended : attacking.stop());
  clearInterval(watch);
  const samples = await honest.stop();
  const remark = `peak ${Math.round(peak)} MB resident, responses ${countedOf(responses)}`;
  if (!gateway.isAlive()) return [holds(`${title}: process`, false, `dead, ${remark}`, 'alive')];

  subject.heapMb = await liveHeapMb(gateway);
  return [
    atMost(`${title}: growth of the live heap`, subject.heapMb - before, GROWTH_MB, 'MB', remark),
    none(`${title}: failed honest requests`, failuresOf(samples), samples.length),
    ...(held === undefined ? [] : [atMost(`${title}: answers kept for longer than 35 s`, held, 0)]),
  ];
};

export const memory: Experiment = {
  name: 'memory',
  summary: 'documents, responses and sockets that try to fill a heap of 512 MB',
  run: async (run) => {
    const url = await run.world.copy(run.scope, 'memory');
    await addLargeEvents(url);
    const measurements: Measurement[] = [];
    let subject = await startSubject(run, url);
    for (const one of casesOf(run)) {
      if (!subject.gateway.isAlive()) subject = await startSubject(run, url);
      measurements.push(...(await measure(run, subject, one)));
    }
    return measurements;
  },
};
