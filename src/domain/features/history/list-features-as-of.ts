import { type Db, Prisma } from '../../../data/db.js';
import { groupBy, indexBy } from '../../../data/grouping.js';
import type { Actor } from '../../actor.js';
import { BadDataError } from '../../errors.js';
import { EVENT_COLUMNS, type EventRow, matchingEvents } from '../../events/event-query.js';
import { SWITCHING_GENERAL_TYPES } from './enabled-state.js';
import { type FeatureAsOf, featureAsOf } from './feature-as-of.js';
import { readHistories } from './read-history.js';
import { UNTAGGING_TYPES } from './replay-tags.js';
import { TELLING_TYPES } from './told-later.js';

/** So many events are replayed for one feature, the newest before the moment, and so many for a list of features. */
export const MOST_REPLAYED = 5_000;
export const MOST_REPLAYED_IN_ALL = 20_000;

/** So many later events are asked what was before them. */
const MOST_LATER = 20;

const assertTime = (time: Date): void => {
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) {
    throw BadDataError.of({ message: `'time' must lie in the years 1 to 9999.` });
  }
  if (time.getTime() > Date.now()) {
    throw BadDataError.of({
      message: `'time' lies in the future, of which the log tells nothing.`,
    });
  }
};

type Read = EventRow & { createdAt: number | Date | null };
type Next = Read & { key: string };
type Place = { featureName: string; environment: string };

const parse = (row: unknown): EventRow => {
  const { key: _, createdAt, ...event } = row as Next;
  return { ...event, createdAt: createdAt === null ? null : new Date(createdAt) };
};

const byId = (one: EventRow, other: EventRow) => one.id - other.id;

/** Each of many features as the log tells it stood at a moment. */
export const listFeaturesAsOf = async (
  db: Db,
  actor: Actor,
  { names, time }: { names: readonly string[]; time: Date },
): Promise<ReadonlyMap<string, FeatureAsOf>> => {
  assertTime(time);

  // Moments are told in whole milliseconds: one that was told includes all of its events.
  const after = new Date(time.getTime() + 1);
  const visible = matchingEvents(actor, {});
  const laterOf = (which: Prisma.Sql, limit: number) => Prisma.sql`
    select owner.key, page.* from unnest(${names}::text[]) as owner(key)
    cross join lateral (
      select ${EVENT_COLUMNS} from events e
      where e.feature_name = owner.key and ${visible} and e.created_at >= ${after} and ${which}
      order by e.id limit ${limit}
    ) page`;
  const { lists, ownCount, histories } = await readHistories(db, actor, {
    names,
    columns: EVENT_COLUMNS,
    own: Prisma.sql`(e.created_at < ${after} or e.created_at is null)`,
    limit: MOST_REPLAYED,
    total: MOST_REPLAYED_IN_ALL,
    general: Prisma.sql`true`,
    generalTypes: [...SWITCHING_GENERAL_TYPES, ...UNTAGGING_TYPES, 'features-imported'],
    beside: {
      next: laterOf(Prisma.sql`true`, 1),
      later: laterOf(Prisma.sql`e.type = any(${TELLING_TYPES}::text[])`, MOST_LATER),
      // In the order of environments, as lists of them have it.
      places: Prisma.sql`select t.feature_name as "featureName", t.environment from feature_environments t
        join environments known on known.name = t.environment
        where t.feature_name = any(${names}::text[]) order by known.sort_order, known.name`,
      began: Prisma.sql`select 1 where exists (select from events e where ${visible} and e.created_at < ${after})`,
    },
    parse,
  });
  if (ownCount > MOST_REPLAYED_IN_ALL) {
    throw BadDataError.of({
      message: `'asOf' would have to replay more than ${MOST_REPLAYED_IN_ALL} events for these features. Ask for fewer at once.`,
    });
  }

  const nextOf = indexBy(lists['next'] as Next[], ({ key }) => key);
  const laterOfFeature = groupBy(lists['later'] as Next[], ({ key }) => key);
  const placesOf = groupBy(lists['places'] as Place[], ({ featureName }) => featureName);
  return new Map(
    [...histories].map(([name, { events, isCut }]) => [
      name,
      featureAsOf({
        time,
        events: [...events, ...(laterOfFeature.get(name) ?? []).map(parse)].sort(byId),
        isCut,
        next: nextOf.has(name) ? parse(nextOf.get(name)) : null,
        hasLogBegun: lists['began']?.length === 1,
        places: (placesOf.get(name) ?? []).map(({ environment }) => environment),
      }),
    ]),
  );
};
