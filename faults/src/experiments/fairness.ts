import { setTimeout as delay } from 'node:timers/promises';
import { type AttackOptions, startAttack } from '../attacks/attack.js';
import type { AttackName } from '../attacks/attacks.js';
import { startFollower } from '../clients/follower.js';
import {
  failuresOf,
  honestCalls,
  p99Of,
  type Sample,
  startHonestClient,
} from '../clients/honest-client.js';
import { graphqlCall, send } from '../clients/http.js';
import {
  atMost,
  countedOf,
  crashed,
  type Experiment,
  type Measurement,
  none,
  type Run,
} from '../experiment.js';
import { type GatewayProcess, startGateway } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';

const FACTOR = 5;
const LONG_SECONDS = 30;
/** Enough requests that the p99 is not the maximum. */
const PACE = { everyMs: 20 };
/** Lower bound of the unloaded p99: five times a few milliseconds would mostly measure the scheduler. */
const FLOOR_MS = 10;
const FOLLOWERS = 5;
const WATERMARK = graphqlCall('{ eventLog { settledId } }', { token: TOKENS.honest });

export type Case = {
  title: string;
  attack: AttackName;
  options: Omit<AttackOptions, 'url' | 'seed'>;
  /** The attack consists of requests that are rejected. */
  isRefused?: boolean;
  /** The honest client also follows the event log and reads its watermark. */
  isLive?: boolean;
};

const CASES: readonly Case[] = [
  {
    title: '12 loops of expensive operations of one viewer',
    attack: 'hardOperations',
    options: { token: TOKENS.attacker, loops: 12 },
  },
  {
    title: '12 loops of free-text searches of one to three characters',
    attack: 'shortTexts',
    options: { token: TOKENS.attacker, loops: 12 },
  },
  {
    title: '20 replays with expensive selections',
    attack: 'replays',
    options: { token: TOKENS.attacker, loops: 20 },
  },
  {
    title: '20 loops of small operations',
    attack: 'smallOperations',
    options: { token: TOKENS.attacker, loops: 20 },
  },
  {
    title: '20 loops of operations that are rejected early',
    attack: 'rejectedOperations',
    options: { token: TOKENS.attacker, loops: 20 },
    isRefused: true,
  },
  { title: '20 loops of wrong tokens', attack: 'wrongTokens', options: { loops: 20 } },
  {
    title: '20 anonymous loops of /readyz, /metrics and /',
    attack: 'publicPages',
    options: { loops: 20 },
  },
];

const viewer = { token: TOKENS.attacker, loops: 6 };
const anonymous = { loops: 20 };

/** Only in the long form. */
const FURTHER_CASES: readonly Case[] = [
  { title: 'timelines of 1,000 features', attack: 'timelines', options: viewer },
  { title: 'activity per week of 20 projects', attack: 'activities', options: viewer },
  { title: 'collaborators of 1,000 features', attack: 'collaborators', options: viewer },
  { title: 'events of 1,000 features by actor', attack: 'eventsOfFeatures', options: viewer },
  { title: 'large introspections', attack: 'introspections', options: viewer },
  { title: 'introspection next to data', attack: 'schemaNextToData', options: viewer },
  { title: '49 lists in one operation', attack: 'manyLists', options: viewer },
  {
    title: 'bursts of 60 requests after a pause',
    attack: 'bursts',
    options: { token: TOKENS.attacker, loops: 60 },
  },
  { title: 'filters with 4,000 values', attack: 'wideFilters', options: viewer },
  {
    title: '20 unknown names in a filter',
    attack: 'unknownNames',
    options: viewer,
    isRefused: true,
  },
  { title: 'a filter of 4,000 values in two fields', attack: 'sharedFilters', options: viewer },
  { title: '99 fragments in one selection', attack: 'manyFragments', options: viewer },
  { title: 'changes of 9,000 events', attack: 'changes', options: viewer },
  { title: 'totals that are not cached', attack: 'newTotals', options: viewer },
  { title: 'one facet in 220 fields', attack: 'repeatedFacets', options: viewer },
  {
    title: 'the same comparison or counts in hundreds of fields',
    attack: 'repeatedComputations',
    options: viewer,
  },
  {
    title: 'bursts of 8 small operations that read many rows',
    attack: 'smallReads',
    options: { token: TOKENS.attacker, loops: 8 },
  },
  { title: 'health reports of 1,000 features', attack: 'healthReports', options: viewer },
  { title: 'errors after 990 lines', attack: 'errorsAfterLines', options: viewer, isRefused: true },
  {
    title: 'large filters below short lists',
    attack: 'nestedFilters',
    options: { token: TOKENS.attacker, loops: 3 },
  },
  {
    title: 'REST searches with 900 names',
    attack: 'wideSearches',
    options: { token: TOKENS.attacker, loops: 3 },
  },
  { title: 'REST bodies of 100 KB', attack: 'restBodies', options: viewer },
  { title: 'compressed bodies of 1 MB', attack: 'compressedBodies', options: viewer },
  { title: 'bodies in chunks of one byte', attack: 'oneByteChunks', options: anonymous },
  { title: 'endless data after a malformed request', attack: 'endlessErrors', options: anonymous },
  { title: 'abandoned pipelines', attack: 'pipelines', options: anonymous },
  { title: 'requests with 100 headers', attack: 'manyHeaders', options: anonymous },
  { title: '20 bodies at the same time', attack: 'simultaneousBodies', options: anonymous },
  { title: '900 small bodies at the same time', attack: 'smallBodies', options: { loops: 900 } },
  { title: 'probes on 1,200 connections', attack: 'probes', options: { loops: 1_200 } },
  {
    title: '1,800 idle connections that close at once',
    attack: 'idleConnections',
    options: { loops: 1_800 },
  },
  { title: '200 slow bodies', attack: 'slowBodies', options: { loops: 200 } },
  { title: '1,000 bodies byte by byte', attack: 'byteByByte', options: { loops: 1_000 } },
  { title: 'international host names', attack: 'hostNames', options: anonymous },
  { title: 'malformed URL parameters', attack: 'urlParameters', options: anonymous },
  {
    title: 'retries on 3,500 connections',
    attack: 'retries',
    options: { loops: 3_500 },
    isRefused: true,
  },
  {
    title: '80 loops of bodies that take long to decompress',
    attack: 'emptyBodies',
    options: { loops: 80 },
    isRefused: true,
  },
  {
    title: 'a full memory share, and reads that clients share',
    attack: 'fullShare',
    options: { token: TOKENS.attacker, loops: 8 },
    isLive: true,
  },
  { title: '80 large pages read at once', attack: 'unreadPages', options: { loops: 80 } },
];

/** A load balancer's probe. */
const startProbe = (url: string) => {
  const refusals: string[] = [];
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    send(url, { path: '/readyz', timeoutMs: 5_000 }).then(
      ({ status }) => status !== 200 && refusals.push(String(status)),
      (error: Error) => refusals.push(error.message),
    );
  }, 500);
  return {
    stop: () => {
      clearInterval(timer);
      return { refusals, count };
    },
  };
};

const settled = (samples: readonly Sample[]) => samples.filter(({ start }) => start >= 500);

const measure = async (
  { scope, seed, sized, log }: Run,
  gateway: GatewayProcess,
  unloaded: number,
  { title, attack, options, isRefused = false, isLive = false }: Case,
): Promise<Measurement[]> => {
  log(title);
  const followers = Array.from({ length: isLive ? FOLLOWERS : 0 }, () =>
    startFollower(() => gateway.url, TOKENS.follower, null),
  );
  if (isLive) await delay(1_000);
  const attacking = await startAttack(scope, attack, { url: gateway.url, seed, ...options });
  const probe = startProbe(gateway.url);
  const calls = [...honestCalls(TOKENS.honest), ...(isLive ? [WATERMARK] : [])];
  const honest = await startHonestClient(gateway.url, { ...PACE, calls }).catch(
    (error: Error) => error.message,
  );
  if (typeof honest === 'string') {
    await attacking.stop();
    probe.stop();
    return [none(`${title}: failed honest requests`, [honest])];
  }
  const bound = FACTOR * Math.max(unloaded, FLOOR_MS);
  await delay(sized({ short: 6, long: LONG_SECONDS }) * 1000);
  // With a few hundred requests, three slow ones determine the p99: collect more before that counts as a failure.
  if (p99Of(settled(honest.samples)) > bound) {
    await delay(sized({ short: LONG_SECONDS - 6, long: 0 }) * 1000);
  }
  const samples = await honest.stop();
  const { refusals, count } = probe.stop();
  const endings = followers.flatMap((follower) => follower.endings);
  await Promise.all(followers.map((follower) => follower.stop()));
  const { responses } = await attacking.stop();
  const invalid = Object.keys(responses).find((response) =>
    /^400 (?!LIMIT_EXCEEDED)/.test(response),
  );
  if (invalid !== undefined && !isRefused)
    throw new Error(`The attack '${title}' is not a valid request: ${invalid}`);
  // The attacker's last statements must not slow down the next measurement.
  await delay(2_000);
  return [
    atMost(
      `${title}: honest p99`,
      p99Of(settled(samples)),
      bound,
      'ms',
      `attacker got ${countedOf(responses)}`,
    ),
    none(`${title}: failed honest requests`, failuresOf(samples), samples.length),
    none(`${title}: /readyz not 200`, refusals, count),
    ...(isLive ? [none(`${title}: ended subscriptions`, endings, FOLLOWERS)] : []),
  ];
};

/** Measures the honest client next to each attack, on a gateway of its own. */
export const runCases = async (
  run: Run,
  name: string,
  cases: readonly Case[],
): Promise<Measurement[]> => {
  const { scope, world, sized } = run;
  const gateway = await startGateway(scope, await world.copy(scope, name));
  const warming = await startHonestClient(gateway.url);
  await delay(3_000);
  await warming.stop();
  const quiet = await startHonestClient(gateway.url, PACE);
  await delay(sized({ short: 5, long: 20 }) * 1000);
  const unloaded = p99Of(await quiet.stop());
  run.log(`unloaded p99 ${unloaded.toFixed(1)} ms`);

  const measurements: Measurement[] = [];
  for (const one of cases.filter(({ title }) => title.includes(run.titlePart))) {
    const measured = await measure(run, gateway, unloaded, one).catch((error: unknown) => [
      crashed(`${one.title}: runs to completion`, error),
    ]);
    measurements.push(...measured);
  }
  return measurements;
};

export const fairness: Experiment = {
  name: 'fairness',
  summary: 'one abusive client next to an honest one, whose p99 may grow at most fivefold',
  run: (run) =>
    runCases(run, 'fairness', [
      ...CASES,
      ...(run.titlePart === '' ? run.sized({ short: [], long: FURTHER_CASES }) : FURTHER_CASES),
    ]),
};
