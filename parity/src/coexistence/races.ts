import { setTimeout as delay } from 'node:timers/promises';
import { firstDifference } from '../diff.js';
import type { Checks } from './checks.js';
import { announced, DELIVERY_LIMIT_MS, delivered, NOTICE_LIMIT_MS } from './clone-propagation.js';
import { readEvents, wrongNumbers } from './deliveries.js';
import { CLONE_BY, type CloneResponse, cloneByRest, TRANSPORTS } from './requests.js';
import { shapeOf } from './shape.js';
import { referenceOf, SOURCES, type Stage } from './stage.js';
import { startWatch, until } from './watch.js';

const NAMES = 20;
const RETRY_LIMIT_MS = 60_000;
const HEAD_STARTS_MS = [0, 0, 10, 40, 0, 120];
const OVERLOADED = ['OverloadedError', 'OVERLOADED'];

type Side = 'gateway' | 'upstream';
type Attempt = { side: Side; source: string; name: string; response: CloneResponse };

/** Statistics of all rounds, reported at the end. */
export type RaceFigures = {
  wins: Record<Side, number>;
  /** Upstream's responses to requests that lost a race. */
  losers: Map<string, number>;
};

export const createRaceFigures = (): RaceFigures => ({
  wins: { gateway: 0, upstream: 0 },
  losers: new Map(),
});

const sourceOf = (index: number) => SOURCES[index % SOURCES.length] ?? SOURCES[0];

/** Retries requests that the gateway rejects because of too many concurrent ones. */
const withRetries = async (clone: () => Promise<CloneResponse>): Promise<CloneResponse> => {
  let response = await clone();
  await until(RETRY_LIMIT_MS, async () => {
    if (!OVERLOADED.includes(response.error)) return true;
    response = await clone();
    return undefined;
  });
  return response;
};

/** Head start of the first side: none, a short delay, or (for the first names) until its response. */
const waitFor = async (first: Promise<unknown>, index: number) => {
  if (index < 2) await first;
  else await delay(HEAD_STARTS_MS[index % HEAD_STARTS_MS.length]);
};

/** Sends two requests per side for one name, each with its own source. Upstream starts first for every other name. */
const runAttempts = async (stage: Stage, name: string, index: number): Promise<Attempt[]> => {
  const authorization = stage.as('adminToken');
  const cloneWithGateway = () =>
    Promise.all(
      TRANSPORTS.map(async (transport, offset): Promise<Attempt> => {
        const source = sourceOf(index + offset);
        const request = { source, name, authorization };
        const response = await withRetries(() => CLONE_BY[transport](stage.gateway.url, request));
        return { side: 'gateway', source, name, response };
      }),
    );
  const cloneWithUpstream = () =>
    Promise.all(
      [2, 3].map(async (offset): Promise<Attempt> => {
        const source = sourceOf(index + offset);
        const response = await cloneByRest(stage.upstream().url, { source, name, authorization });
        return { side: 'upstream', source, name, response };
      }),
    );
  const [startFirst, startSecond] =
    index % 2 === 0 ? [cloneWithGateway, cloneWithUpstream] : [cloneWithUpstream, cloneWithGateway];
  const first = startFirst();
  // Failures are handled below, when both are awaited.
  first.catch(() => undefined);
  await waitFor(first, index);
  const second = startSecond();
  return (await Promise.all([first, second])).flat();
};

const describe = ({ side, response }: Attempt) =>
  `${side} ${response.status} ${response.isCreated ? 'created it' : response.error}`;

const checkResponses = (attempts: readonly Attempt[], figures: RaceFigures): string[] => {
  const wrong: string[] = [];
  const winners = attempts.filter(({ response }) => response.isCreated);
  const [winner] = winners;
  if (winners.length === 1 && winner) figures.wins[winner.side]++;
  else wrong.push(`${attempts[0]?.name}: ${attempts.map(describe).join(', ')}`);
  for (const attempt of attempts) {
    const { side, response, name } = attempt;
    if (response.isCreated) continue;
    if (side === 'upstream') {
      const kind = `${response.status} ${response.error}`;
      figures.losers.set(kind, (figures.losers.get(kind) ?? 0) + 1);
    } else if (response.error !== 'NameExistsError') {
      wrong.push(
        `${name}: the gateway rejected it with ${response.status} ${response.text.slice(0, 300)}`,
      );
    }
  }
  return wrong;
};

/** Measured from the last response: before it, upstream is busy with the requests themselves. */
const followEvents = async (stage: Stage, checks: Checks, names: readonly string[]) => {
  const isAnnounced = startWatch(announced(stage), NOTICE_LIMIT_MS);
  const isDelivered = startWatch(delivered(stage), DELIVERY_LIMIT_MS);
  for (const name of names) {
    isAnnounced.expect(name, Date.now());
    isDelivered.expect(name, Date.now());
  }
  const announcements = await isAnnounced.settle();
  checks.inTime('events of the winners are announced', NOTICE_LIMIT_MS, announcements);
  const arrivals = await isDelivered.settle();
  checks.inTime('events of the winners are delivered', DELIVERY_LIMIT_MS, arrivals);
};

/** Both sides clone to the same names concurrently: each name gets one complete copy and no rows of the losers. */
export const races = async (
  stage: Stage,
  checks: Checks,
  figures: RaceFigures,
  label: string,
): Promise<void> => {
  const { sql, since, version } = stage;
  const names = Array.from({ length: NAMES }, (_, index) => `${label}-${index}`);
  const byName = await Promise.all(names.map((name, index) => runAttempts(stage, name, index)));
  checks.none(
    `of four concurrent clones per name (two per side, ${NAMES} names), one succeeds; the gateway's losers return NameExistsError`,
    byName.flatMap((own) => checkResponses(own, figures)),
  );
  await followEvents(stage, checks, names);

  const references = new Map<string, unknown>();
  for (const source of SOURCES) {
    references.set(source, await shapeOf(sql, referenceOf(source), { since, version }));
  }
  const mixed: string[] = [];
  for (const own of byName) {
    const winner = own.find(({ response }) => response.isCreated);
    if (!winner) continue;
    const reference = references.get(winner.source);
    const copy = await shapeOf(sql, winner.name, { since, version });
    const difference = firstDifference(reference, copy, `${winner.name} by the ${winner.side}`);
    if (difference) mixed.push(difference);
  }
  checks.none('the winner is complete, with its events and without rows of the losers', mixed);
  const events = await readEvents(sql, names);
  checks.none('events of the winners are delivered once', await wrongNumbers(stage, events));
};

/** Checks that both sides have won races, and reports how upstream rejects the losers. */
export const checkRaces = (checks: Checks, { wins, losers }: RaceFigures): void => {
  const summary = [...losers].map(([kind, count]) => `${kind} ${count} times`).join(', ');
  checks.add(
    `both sides have won races: the gateway ${wins.gateway}, upstream ${wins.upstream}; losers at upstream: ${summary || 'none'}`,
    wins.gateway > 0 && wins.upstream > 0 ? undefined : 'one side never won',
  );
};
