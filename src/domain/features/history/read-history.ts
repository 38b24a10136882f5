import { type Db, Prisma } from '../../../data/db.js';
import { groupBy } from '../../../data/grouping.js';
import { listsOf } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { matchingEvents } from '../../events/event-query.js';
import { isObject } from '../../json.js';
import { parseExactly } from '../../parse-exactly.js';
import { literalPattern } from '../../text.js';
import type { HistoryBudget } from './history-budget.js';
import type { HistoryEvent } from './history-event.js';

/** So many events of no single feature are looked at, the newest first. */
const MOST_GENERAL = 5_000;

/** Whose past is read: the events of a feature, at most so many of them, the newest. */
export type HistoryOwner = { name: string; limit: number };

export type HistorySelection<Row> = {
  owners: readonly HistoryOwner[];
  /** The same as rows named `owner`, of which `key` is the place in the list and `name` the feature. */
  ownerRows: Prisma.Sql;
  columns: Prisma.Sql;
  /** Which events of an owner, beside those it may be told of. */
  own: Prisma.Sql;
  /** Which events of no single feature. */
  general: Prisma.Sql;
  generalTypes: readonly string[];
  /** Further lists, in the same statement. */
  beside: Readonly<Record<string, Prisma.Sql>>;
  parse: (row: unknown) => Row;
  budget: HistoryBudget;
};

/** The events of one owner that were read, oldest first, and whether older ones were left out. */
export type History<Row> = { events: Row[]; isCut: boolean };

/** Imports of a whole installation name their feature in the payload, which is text as it was written. */
const namedInPayload = (names: readonly string[]): Prisma.Sql => {
  const patterns = names.flatMap((name) => {
    const text = literalPattern(JSON.stringify(name));
    return [`%"name":${text}%`, `%"name": ${text}%`];
  });
  return Prisma.sql`(e.type <> 'feature-import' or e.data::text like any(${patterns}::text[]))`;
};

const select = (actor: Actor, selection: HistorySelection<unknown>): Prisma.Sql => {
  const { owners, ownerRows, columns, own, general, generalTypes, budget } = selection;
  const names = [...new Set(owners.map(({ name }) => name))];
  const limit = Math.max(...owners.map((owner) => owner.limit));
  const visible = matchingEvents(actor, {});
  return Prisma.sql`
    with own as materialized (
      select owner.key, page.* from ${ownerRows}
      cross join lateral (
        select ${columns} from events e
        where e.feature_name = owner.name and ${visible} and ${own}
        order by e.id desc limit ${limit + 1}
      ) page limit ${budget.left + 1}
    ), general as materialized (
      select ${columns} from events e
      where e.type = any(${generalTypes}::text[]) and e.feature_name is null and ${visible} and ${general}
        and (e.project is null or e.project in (select own."projectId" from own))
        and ${namedInPayload(names)}
      order by e.id desc limit ${MOST_GENERAL + 1}
    )
    select ${listsOf({
      own: Prisma.sql`select * from own order by id desc`,
      general: Prisma.sql`select * from general`,
      ...selection.beside,
    })} as lists`;
};

type Lists = { own: { key: number }[]; general: unknown[] };

/** Whether an event that names no feature concerns this one. */
const concerns = ({ type, data }: HistoryEvent, name: string): boolean =>
  type !== 'feature-import' || (isObject(data) && data['name'] === name);

/** What the log tells of many owners, and the lists beside it, in one statement. */
export const readHistories = async <Row extends HistoryEvent>(
  db: Db,
  actor: Actor,
  selection: HistorySelection<Row>,
) => {
  const { owners, parse, budget } = selection;
  const [answer] = await db.$queryRaw<[{ lists: string }]>(select(actor, selection));
  const lists: Lists & Record<string, unknown[]> = parseExactly(answer.lists);
  budget.read(lists.own.length + lists.general.length);

  const ownOf = groupBy(lists.own, ({ key }) => key);
  const general = lists.general.slice(0, MOST_GENERAL).map(parse);
  // What lies before the last of a list that is longer than this is not told completely.
  const generalHorizon = lists.general.length > MOST_GENERAL ? (general.at(-1)?.id ?? 0) : 0;

  const historyOf = (key: number): History<Row> => {
    const { name, limit } = owners[key] as HistoryOwner;
    const found = ownOf.get(key) ?? [];
    const own = found.slice(0, limit).map(parse);
    const ownHorizon = found.length > limit ? (own.at(-1)?.id ?? 0) : 0;
    const horizon = Math.max(ownHorizon, generalHorizon);
    const events = [...own, ...general.filter((event) => concerns(event, name))]
      .filter(({ id }) => id >= horizon)
      .sort((one, other) => one.id - other.id);
    return { events, isCut: horizon > 0 };
  };
  /** The past of the owner with this place in the list, put together when it is asked for. */
  return { lists, historyOf };
};
