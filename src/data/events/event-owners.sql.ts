import { type Db, Prisma, type Sql } from '../db.js';
import type { KeysetPage } from '../paging.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import { eventPage } from './event-pages.sql.js';
import { type EventRow, eventColumns, readEvents, selectEvents } from './event-rows.sql.js';

export type EventOwner = 'feature' | 'featureEnvironment' | 'project' | 'group' | 'user';

/** Matching events of many owners of one kind. */
type Owned = { owner: EventOwner; keys: readonly string[]; matching: Sql };

export type KeyedEvent = EventRow & { key: string };

/** Key of a feature in an environment. Unleash allows no slash in names of environments. */
export const featureEnvironmentKey = (featureName: string, environmentName: string): string =>
  `${environmentName}/${featureName}`;

/** The key of the owner of an event (alias `e`). */
const KEYS: Readonly<Record<EventOwner, Sql>> = {
  feature: Prisma.sql`e.feature_name`,
  featureEnvironment: Prisma.sql`(e.environment || '/' || e.feature_name)`,
  project: Prisma.sql`e.project`,
  // No alias, because some Unleash versions lack the column.
  group: Prisma.sql`group_id`,
  user: Prisma.sql`e.created_by_user_id::text`,
};

/** Whether an event belongs to `owner.key`, as a condition that an index serves. */
const ownedBy = (owner: EventOwner): Sql => {
  if (owner === 'user') return Prisma.sql`e.created_by_user_id = owner.key::int`;
  if (owner !== 'featureEnvironment') return Prisma.sql`${KEYS[owner]} = owner.key`;
  return Prisma.sql`e.feature_name = substr(owner.key, strpos(owner.key, '/') + 1)
    and e.environment = left(owner.key, strpos(owner.key, '/') - 1)`;
};

/** Whether an event belongs to one of these owners. */
const ownedByAny = (owner: EventOwner, keys: readonly string[]): Sql => {
  if (owner === 'user') return Prisma.sql`e.created_by_user_id = any(${keys.map(Number)}::int[])`;
  const isAmong = Prisma.sql`${KEYS[owner]} = any(${keys}::text[])`;
  if (owner !== 'featureEnvironment') return isAmong;
  const names = new Set(keys.map((key) => key.slice(key.indexOf('/') + 1)));
  return Prisma.sql`e.feature_name = any(${[...names]}::text[]) and ${isAmong}`;
};

/** All matches of all owners, searched once. */
const hitsOf = ({ owner, keys, matching }: Owned) => Prisma.sql`
    with hits as materialized (
      select ${KEYS[owner]} as key, e.id from events e
      where ${ownedByAny(owner, keys)} and ${matching}
    )`;

type OwnersPage = Owned & {
  range: Sql;
  page: KeysetPage<number>;
  hasPayload: boolean;
  /** Finds all matches before the pages; otherwise each page is read in ID order until it is full. */
  isByHits: boolean;
};

/** One page of events for each owner. */
export const readPagesOf = (
  db: Db,
  { owner, keys, range, page, hasPayload, isByHits, ...query }: OwnersPage,
): Promise<KeyedEvent[]> => {
  const { bounds, order } = eventPage(page);
  const matching = Prisma.sql`${query.matching} and ${range} ${bounds}`;
  return readEvents<KeyedEvent>(
    db,
    Prisma.sql`
    ${isByHits ? hitsOf({ owner, keys, matching }) : Prisma.empty}
    select owner.key, page.* from unnest(${keys}::text[]) as owner(key)
    cross join lateral (
      select ${eventColumns(hasPayload)} from events e
      where ${
        isByHits
          ? Prisma.sql`e.id in (select e.id from hits e where e.key = owner.key ${order})`
          : Prisma.sql`${ownedBy(owner)} and ${matching}`
      } ${order}
    ) page order by page.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`}`,
  );
};

/** Counts per owner, up to a bound. */
export const countOfEachUpTo = (
  db: Db,
  { owner, keys, matching, upTo }: Owned & { upTo: number },
): Promise<ReadonlyMap<string, number>> => {
  const rows = Prisma.sql`from events e where ${ownedBy(owner)} and ${matching}`;
  return countEachUpTo(db, { keys, type: 'text', rows, upTo });
};

/** Counts per owner in one scan; owners without events are missing. */
export const countOfEach = async (
  db: Db,
  { owner, keys, matching, range }: Owned & { range: Sql },
): Promise<ReadonlyMap<string, number>> => {
  const counts = await db.$queryRaw<{ key: string; total: bigint }[]>(
    selectEvents(Prisma.sql`select ${KEYS[owner]} as key, count(*) as total from events e
      where ${ownedByAny(owner, keys)} and ${matching} and ${range} group by 1`),
  );
  return new Map(counts.map(({ key, total }) => [key, Number(total)]));
};
