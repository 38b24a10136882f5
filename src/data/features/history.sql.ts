import { type Db, Prisma, type Sql } from '../db.js';
import { selectEvents } from '../events/event-rows.sql.js';
import { parseExactly } from '../json/parse-exactly.js';
import { literalPattern } from '../sql/conditions.sql.js';
import { listColumns, parseListColumns } from '../sql/read-rows.sql.js';

/** Maximum number of events of no single feature, newest first. */
export const MAX_GENERAL = 5_000;

/** With the timestamp in milliseconds, as it is read. */
export type Stored<Row> = Omit<Row, 'createdAt'> & { createdAt: number | null };

/** Events of features, each with the index of its owner, and events of no single feature; all newest first. */
export type HistoryLists<Row> = {
  own: (Stored<Row> & { key: number })[];
  general: Stored<Row>[];
};

/** A feature, and how many of its newest events are read at most. */
export type HistoryOwner = { name: string; limit: number };

export type HistoryQuery<Owner> = {
  owners: readonly (HistoryOwner & Owner)[];
  /** Maximum number of events of all owners. */
  maxOwn: number;
  /** Types of the events of no single feature. */
  generalTypes: readonly string[];
  /** Condition on the events that the viewer may see. */
  visible: Sql;
};

type Selection = HistoryQuery<unknown> & {
  /** The owners as rows named `owner`: `key` is the index in the list, `name` the feature. */
  ownerRows: Sql;
  columns: Sql;
  /** Condition on the events of an owner, besides visibility. */
  own: Sql;
  /** Condition on the events of no single feature. */
  general: Sql;
  /** Additional lists, read in the same statement. */
  beside: Readonly<Record<string, Sql>>;
};

/** Imports of a whole instance name their feature only in the payload, which is text as written. */
const namedInPayload = (names: readonly string[]): Sql => {
  const patterns = names.flatMap((name) => {
    const text = literalPattern(JSON.stringify(name));
    return [`%"name":${text}%`, `%"name": ${text}%`];
  });
  return Prisma.sql`(e.type <> 'feature-import' or e.data::text like any(${patterns}::text[]))`;
};

/** Histories of many owners and the additional lists, in one statement; each with one extra row. */
export const readHistoryLists = async <Lists extends Record<string, unknown[]>>(
  db: Db,
  selection: Selection,
): Promise<Lists> => {
  const { owners, maxOwn, generalTypes, visible, ownerRows, columns, own, general } = selection;
  const names = [...new Set(owners.map(({ name }) => name))];
  const limit = Math.max(...owners.map((owner) => owner.limit));
  const [found] = await db.$queryRaw<[Record<string, string | null>]>(
    selectEvents(Prisma.sql`
    with own as materialized (
      select owner.key, page.* from ${ownerRows}
      cross join lateral (
        select ${columns} from events e
        where e.feature_name = owner.name and ${visible} and ${own}
        order by e.id desc limit ${limit + 1}
      ) page limit ${maxOwn + 1}
    ), general as materialized (
      select ${columns} from events e
      where e.type = any(${generalTypes}::text[]) and e.feature_name is null and ${visible} and ${general}
        and (e.project is null or e.project in (select own."projectId" from own))
        and ${namedInPayload(names)}
      order by e.id desc limit ${MAX_GENERAL + 1}
    )
    select ${listColumns({
      own: Prisma.sql`select * from own order by id desc`,
      general: Prisma.sql`select * from general`,
      ...selection.beside,
    })}`),
  );
  return parseListColumns<Lists>(found, parseExactly);
};
