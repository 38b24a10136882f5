import { type Db, Prisma, type Sql } from '../db.js';
import { parseRows, readRows, rowsOf } from '../sql/read-rows.sql.js';
import { idsAfter } from './id-ranges.sql.js';
import { LOG_EPOCH } from './settled-log.sql.js';

/** Properties of events whose distinct values are counted. */
export const EVENT_FACETS = ['authors', 'environments', 'features', 'projects', 'types'] as const;

export type EventFacet = (typeof EVENT_FACETS)[number];

/** A value of a property and the number of events that have it. Only authors have a user ID. */
export type FacetRow = { facet: EventFacet; value: string; userId: number | null; count: number };

const VALUES: Readonly<Record<EventFacet, Sql>> = {
  authors: Prisma.sql`e.created_by`,
  environments: Prisma.sql`e.environment`,
  features: Prisma.sql`e.feature_name`,
  projects: Prisma.sql`e.project`,
  types: Prisma.sql`e.type`,
};
const AUTHOR_ID = Prisma.sql`e.created_by_user_id`;

type FacetQuery = { facets: readonly EventFacet[]; matching: Sql };

/** One pass for all facets. Events without a value are not counted. */
const selectFacets = ({ facets, matching }: FacetQuery, range: Sql): Sql => {
  const names = facets.map(
    (facet) =>
      Prisma.sql`when grouping(${VALUES[facet]}) = 0 then ${Prisma.raw(`'${facet}'`)}::text`,
  );
  const sets = facets.map((facet) =>
    facet === 'authors'
      ? Prisma.sql`(${VALUES[facet]}, ${AUTHOR_ID})`
      : Prisma.sql`(${VALUES[facet]})`,
  );
  // In each grouping set, the values of the others are null.
  const value = Prisma.sql`coalesce(${Prisma.join(facets.map((facet) => Prisma.sql`${VALUES[facet]}::text`))})`;
  return Prisma.sql`
    select case ${Prisma.join(names, ' ')} end as facet, ${value} as value,
      ${facets.includes('authors') ? AUTHOR_ID : Prisma.sql`null::int`} as "userId", count(*) as count
    from events e where ${matching} and ${range}
    group by grouping sets (${Prisma.join(sets)}) having ${value} is not null`;
};

/** Counts the values of facets in a range of the log. */
export const readFacets = (db: Db, query: FacetQuery, range: Sql): Promise<FacetRow[]> =>
  readRows(db, selectFacets(query, range));

/** The same for the events after an ID. */
export const readFacetsAfter = async (db: Db, query: FacetQuery, id: number | null) => {
  const [{ rows, mark }] = await db.$queryRaw<[{ rows: string | null; mark: string }]>(Prisma.sql`
    select ${rowsOf(selectFacets(query, idsAfter(id)))} as rows, ${LOG_EPOCH} as mark`);
  return { mark, rows: await parseRows<FacetRow>(rows) };
};
