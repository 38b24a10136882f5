import { setTimeout as delay } from 'node:timers/promises';
import { firstDifference } from '../diff.js';
import { CLONE_BY, type CloneAnswer, cloneByRest, TRANSPORTS } from './ask.js';
import type { Checks } from './checks.js';
import { readEvents, wrongNumbers } from './deliveries.js';
import { announced, DELIVERY_LIMIT_MS, delivered, NOTICE_LIMIT_MS } from './noticed-clones.js';
import { shapeOf } from './shape.js';
import { referenceOf, SOURCES, type Stage } from './stage.js';
import { startWatch, until } from './watch.js';

const NAMES = 20;
const PATIENCE_MS = 60_000;
const HEAD_STARTS_MS = [0, 0, 10, 40, 0, 120];
const OVERLOADED = ['OverloadedError', 'OVERLOADED'];

type Side = 'gateway' | 'original';
type Attempt = { side: Side; source: string; name: string; answer: CloneAnswer };

/** Figures of all rounds, told at the end. */
export type RaceFigures = {
  wins: Record<Side, number>;
  /** What the original has answered to those that came too late. */
  losers: Map<string, number>;
};

export const createRaceFigures = (): RaceFigures => ({
  wins: { gateway: 0, original: 0 },
  losers: new Map(),
});

const sourceOf = (index: number) => SOURCES[index % SOURCES.length] ?? SOURCES[0];

/** Asks again where so many requests at once are more than the gateway takes on, as its answer bids. */
const patiently = async (clone: () => Promise<CloneAnswer>): Promise<CloneAnswer> => {
  let answer = await clone();
  await until(PATIENCE_MS, async () => {
    if (!OVERLOADED.includes(answer.error)) return true;
    answer = await clone();
    return undefined;
  });
  return answer;
};

/** Ahead of the other side by nothing, by a little, or, for the first names, until the answer is there. */
const waitFor = async (first: Promise<unknown>, index: number) => {
  if (index < 2) await first;
  else await delay(HEAD_STARTS_MS[index % HEAD_STARTS_MS.length]);
};

/** For one name two requests to each side, each with a source of its own; every other name the original first. */
const runAttempts = async (stage: Stage, name: string, index: number): Promise<Attempt[]> => {
  const authorization = stage.as('adminToken');
  const ours = () =>
    Promise.all(
      TRANSPORTS.map(async (transport, offset): Promise<Attempt> => {
        const source = sourceOf(index + offset);
        const request = { source, name, authorization };
        const answer = await patiently(() => CLONE_BY[transport](stage.gateway.url, request));
        return { side: 'gateway', source, name, answer };
      }),
    );
  const theirs = () =>
    Promise.all(
      [2, 3].map(async (offset): Promise<Attempt> => {
        const source = sourceOf(index + offset);
        const answer = await cloneByRest(stage.original().url, { source, name, authorization });
        return { side: 'original', source, name, answer };
      }),
    );
  const [lead, follow] = index % 2 === 0 ? [ours, theirs] : [theirs, ours];
  const first = lead();
  // Whether it fails is found out below, when both are awaited.
  first.catch(() => undefined);
  await waitFor(first, index);
  const second = follow();
  return (await Promise.all([first, second])).flat();
};

const describe = ({ side, answer }: Attempt) =>
  `${side} ${answer.status} ${answer.isMade ? 'made it' : answer.error}`;

const judgeAnswers = (attempts: readonly Attempt[], figures: RaceFigures): string[] => {
  const wrong: string[] = [];
  const winners = attempts.filter(({ answer }) => answer.isMade);
  const [winner] = winners;
  if (winners.length === 1 && winner) figures.wins[winner.side]++;
  else wrong.push(`${attempts[0]?.name}: ${attempts.map(describe).join(', ')}`);
  for (const attempt of attempts) {
    const { side, answer, name } = attempt;
    if (answer.isMade) continue;
    if (side === 'original') {
      const kind = `${answer.status} ${answer.error}`;
      figures.losers.set(kind, (figures.losers.get(kind) ?? 0) + 1);
    } else if (answer.error !== 'NameExistsError') {
      wrong.push(`${name}: the gateway refused with ${answer.status} ${answer.text.slice(0, 300)}`);
    }
  }
  return wrong;
};

/** From the last answer on: before, the original is busy with the requests themselves. */
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

/** Clones by both sides at once onto the same names: one winner each, whole, and nothing of the losers. */
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
    `of four clones at once onto each of ${NAMES} names, two by each side, one succeeds and ours else answer NameExistsError`,
    byName.flatMap((own) => judgeAnswers(own, figures)),
  );
  await followEvents(stage, checks, names);

  const references = new Map<string, unknown>();
  for (const source of SOURCES) {
    references.set(source, await shapeOf(sql, referenceOf(source), { since, version }));
  }
  const mixed: string[] = [];
  for (const own of byName) {
    const winner = own.find(({ answer }) => answer.isMade);
    if (!winner) continue;
    const reference = references.get(winner.source);
    const copy = await shapeOf(sql, winner.name, { since, version });
    const difference = firstDifference(reference, copy, `${winner.name} by the ${winner.side}`);
    if (difference) mixed.push(difference);
  }
  checks.none('the winner is whole, with its events, and without a row of the losers', mixed);
  const events = await readEvents(sql, names);
  checks.none('events of the winners are delivered once', await wrongNumbers(stage, events));
};

/** Whether both sides have won, so that neither way round is left untried; and how losers fare at the original. */
export const judgeRaces = (checks: Checks, { wins, losers }: RaceFigures): void => {
  const told = [...losers].map(([kind, count]) => `${kind} ${count} times`).join(', ');
  checks.add(
    `both sides have won races: the gateway ${wins.gateway}, the original ${wins.original}; losers at the original: ${told || 'none'}`,
    wins.gateway > 0 && wins.original > 0 ? undefined : 'one of them never did',
  );
};
