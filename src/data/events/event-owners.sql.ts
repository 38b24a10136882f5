import { type Db, Prisma, type Sql } from '../db.js';
import type { KeysetPage } from '../paging.js';
import { countEachUpTo } from '../sql/count-up-to.sql.js';
import { eventPage } from './event-pages.sql.js';
import { type EventRow, eventColumns, readEvents, selectEvents } from './event-rows.sql.js';

export type EventOwner = 'feature' | 'project' | 'group';

/** Matching events of many owners of one kind. */
type Owned = { owner: EventOwner; keys: readonly string[]; matching: Sql };

export type KeyedEvent = EventRow & { key: string };

const COLUMNS: Readonly<Record<EventOwner, Sql>> = {
  feature: Prisma.sql`e.feature_name`,
  project: Prisma.sql`e.project`,
  // No alias, because some Unleash versions lack the column.
  group: Prisma.sql`group_id`,
};

/** All matches of all owners, searched once. */
const hitsOf = ({ owner, keys, matching }: Owned) => Prisma.sql`
    with hits as materialized (
      select ${COLUMNS[owner]} as key, e.id from events e
      where ${COLUMNS[owner]} = any(${keys}::text[]) and ${matching}
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
          : Prisma.sql`${COLUMNS[owner]} = owner.key and ${matching}`
      } ${order}
    ) page order by page.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`}`,
  );
};

/** Counts per owner, up to a bound. */
export const countOfEachUpTo = (
  db: Db,
  { owner, keys, matching, upTo }: Owned & { upTo: number },
): Promise<ReadonlyMap<string, number>> => {
  const rows = Prisma.sql`from events e where ${COLUMNS[owner]} = owner.key and ${matching}`;
  return countEachUpTo(db, { keys, type: 'text', rows, upTo });
};

/** Counts per owner in one scan; owners without events are missing. */
export const countOfEach = async (
  db: Db,
  { owner, keys, matching, range }: Owned & { range: Sql },
): Promise<ReadonlyMap<string, number>> => {
  const counts = await db.$queryRaw<{ key: string; total: bigint }[]>(
    selectEvents(Prisma.sql`select ${COLUMNS[owner]} as key, count(*) as total from events e
      where ${COLUMNS[owner]} = any(${keys}::text[]) and ${matching} and ${range} group by 1`),
  );
  return new Map(counts.map(({ key, total }) => [key, Number(total)]));
};
