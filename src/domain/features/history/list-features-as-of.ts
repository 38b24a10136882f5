import { type Db, Prisma } from '../../../data/db.js';
import { groupBy, indexBy } from '../../../data/grouping.js';
import { milliseconds } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { BadDataError } from '../../errors.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents } from '../../events/event-query.js';
import { SWITCHING_GENERAL_TYPES } from './enabled-state.js';
import { type FeatureAsOf, featureAsOf } from './feature-as-of.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';
import { readHistories } from './read-history.js';
import { UNTAGGING_TYPES } from './replay-tags.js';
import { MOST_LATER, TELLING_TYPES } from './told-later.js';

/** So many events are replayed for one feature, the newest before the moment. */
const MOST_REPLAYED = 5_000;

/** So many events are read for one request, each of which may be replayed for several moments. */
export const createReplayBudget = (): HistoryBudget =>
  createHistoryBudget({ field: 'asOf', asked: 'moments', read: 20_000, walked: 200_000 });

/** A feature, and when to look at it. */
export type Moment = { name: string; time: Date };

const faultOf = ({ time }: Moment): BadDataError | null => {
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) {
    return BadDataError.of({ message: `'time' must lie in the years 1 to 9999.` });
  }
  if (time.getTime() > Date.now()) {
    return BadDataError.of({
      message: `'time' lies in the future, of which the log tells nothing.`,
    });
  }
  return null;
};

type Read = EventRow & { createdAt: number | Date | null };
type Later = Read & { key: number };
type Place = { featureName: string; environment: string };

const parse = (row: unknown): EventRow => {
  const { key: _, createdAt, ...event } = row as Later;
  return { ...event, createdAt: createdAt === null ? null : new Date(createdAt) };
};

/** Moments are told in whole milliseconds: one that was told includes all of its events. */
const endOf = (time: Date): number => time.getTime() + 1;

/** The past of features up to the last of their moments, and what comes right after it. */
const readPasts = async (
  db: Db,
  actor: Actor,
  momentsOf: ReadonlyMap<string, readonly Moment[]>,
  budget: HistoryBudget,
) => {
  const names = [...momentsOf.keys()];
  const ends = [...momentsOf.values()].map((moments) =>
    Math.max(...moments.map(({ time }) => endOf(time))),
  );
  const visible = matchingEvents(actor, {});
  const ownerRows = Prisma.sql`unnest(${names.map((_, key) => key)}::int[], ${names}::text[],
    ${ends.map((end) => new Date(end).toISOString())}::timestamptz[]) as owner(key, name, until)`;
  const laterOf = (which: Prisma.Sql, limit: number) => Prisma.sql`
    select owner.key, page.* from ${ownerRows}
    cross join lateral (
      select ${EVENT_COLUMNS} from events e
      where e.feature_name = owner.name and ${visible} and e.created_at >= owner.until and ${which}
      order by e.id limit ${limit}
    ) page`;
  const { lists, historyOf } = await readHistories(db, actor, {
    owners: names.map((name) => ({ name, limit: MOST_REPLAYED })),
    ownerRows,
    columns: EVENT_COLUMNS,
    own: Prisma.sql`(e.created_at < owner.until or e.created_at is null)`,
    general: Prisma.sql`true`,
    generalTypes: [...SWITCHING_GENERAL_TYPES, ...UNTAGGING_TYPES, 'features-imported'],
    beside: {
      next: laterOf(Prisma.sql`true`, 1),
      later: laterOf(Prisma.sql`e.type = any(${TELLING_TYPES}::text[])`, MOST_LATER),
      // In the order of environments, as lists of them have it.
      places: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        join environments known on known.name = t.environment
        where t.feature_name = any(${names}::text[]) order by known.sort_order, known.name`,
      began: Prisma.sql`select ${milliseconds(Prisma.sql`e.created_at`)} as time from events e
        where ${visible} and e.created_at is not null order by e.created_at limit 1`,
    },
    parse,
    budget,
  });

  const nextOf = indexBy(lists['next'] as Later[], ({ key }) => key);
  const laterByKey = groupBy(lists['later'] as Later[], ({ key }) => key);
  const placesOf = groupBy(lists['places'] as Place[], ({ featureName }) => featureName);
  const [began] = lists['began'] as { time: number }[];
  return names.map((name, key) => ({
    name,
    end: ends[key],
    /** Put together when it is asked for: many at once would be all events again and again. */
    read: () => {
      const { events, isCut } = historyOf(key);
      const beyond = [nextOf.get(key) ?? [], laterByKey.get(key) ?? []].flat().map(parse);
      const known = new Map([...events, ...beyond].map((event) => [event.id, event]));
      return {
        events: [...known.values()].sort((one, other) => one.id - other.id),
        isCut,
        began: began?.time ?? null,
        places: (placesOf.get(name) ?? []).map(({ environment }) => environment),
      };
    },
  }));
};

/** Answers what one statement can, and tells what it could not. */
const answerSome = async (
  db: Db,
  actor: Actor,
  moments: readonly Moment[],
  budget: HistoryBudget,
) => {
  const momentsOf = groupBy(moments, ({ name }) => name);
  const answers: [Moment, FeatureAsOf][] = [];
  const open: Moment[] = [];
  for (const { name, end, read } of await readPasts(db, actor, momentsOf, budget)) {
    const past = read();
    for (const moment of momentsOf.get(name) ?? []) {
      // Of a past that was cut, earlier moments would be told less than it holds.
      if (past.isCut && endOf(moment.time) !== end) {
        open.push(moment);
        continue;
      }
      await budget.walk(past.events.length);
      answers.push([moment, featureAsOf({ time: moment.time, ...past })]);
    }
  }
  return { answers, open };
};

/** Features as the log tells they stood at moments, each read once for all of its moments; refusals in their place. */
export const listFeaturesAsOf = async (
  db: Db,
  actor: Actor,
  { moments, budget }: { moments: readonly Moment[]; budget: HistoryBudget },
): Promise<ReadonlyMap<Moment, FeatureAsOf | BadDataError>> => {
  const told = new Map<Moment, FeatureAsOf | BadDataError>();
  for (const moment of moments) {
    const fault = faultOf(moment);
    if (fault) told.set(moment, fault);
  }

  return budget.inTurn(async () => {
    let left = moments.filter((moment) => !told.has(moment));
    while (left.length > 0) {
      const { answers, open } = await answerSome(db, actor, left, budget);
      for (const [moment, answer] of answers) told.set(moment, answer);
      left = open;
    }
    return told;
  });
};
