import { literalPattern } from '../../../data/conditions.js';
import { type Db, Prisma } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import { selectEvents } from '../../../data/events/event-rows.sql.js';
import { groupInSlices } from '../../../data/grouping.js';
import { parseExactly } from '../../../data/parse-exactly.js';
import { listColumns, parseListColumns } from '../../../data/read-rows.js';
import type { Actor } from '../../actor.js';
import { isObject } from '../../json.js';
import { visitInSlices } from '../../work.js';
import type { HistoryBudget } from './history-budget.js';
import type { HistoryEvent } from './history-event.js';

/** Maximum number of events of no single feature, newest first. */
const MAX_GENERAL = 5_000;

/** Few enough for a fraction of a slice. */
const ROWS_AT_ONCE = 100;

/** A feature, and how many of its newest events are read at most. */
export type HistoryOwner = { name: string; limit: number };

export type HistorySelection<Row> = {
  owners: readonly HistoryOwner[];
  /** The owners as rows named `owner`: `key` is the index in the list, `name` the feature. */
  ownerRows: Prisma.Sql;
  columns: Prisma.Sql;
  /** Condition on the events of an owner, besides visibility. */
  own: Prisma.Sql;
  /** Condition on the events of no single feature. */
  general: Prisma.Sql;
  generalTypes: readonly string[];
  /** Additional lists, read in the same statement. */
  beside: Readonly<Record<string, Prisma.Sql>>;
  parse: (row: unknown) => Row;
  budget: HistoryBudget;
};

/** Events of one owner, oldest first, and whether older ones were omitted. */
export type History<Row> = { events: Row[]; isCut: boolean };

/** Imports of a whole instance name their feature only in the payload, which is text as written. */
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
  return selectEvents(Prisma.sql`
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
      order by e.id desc limit ${MAX_GENERAL + 1}
    )
    select ${listColumns({
      own: Prisma.sql`select * from own order by id desc`,
      general: Prisma.sql`select * from general`,
      ...selection.beside,
    })}`);
};

type Lists = { own: { key: number }[]; general: unknown[] } & Record<string, unknown[]>;

/** Whether an event without a feature name concerns this feature. */
const concerns = ({ type, data }: HistoryEvent, name: string): boolean =>
  type !== 'feature-import' || (isObject(data) && data['name'] === name);

/** History of many owners and the additional lists, in one statement. */
export const readHistories = async <Row extends HistoryEvent>(
  db: Db,
  actor: Actor,
  selection: HistorySelection<Row>,
) => {
  const { owners, parse, budget } = selection;
  const [columns] = await db.$queryRaw<[Record<string, string | null>]>(select(actor, selection));
  const lists = await parseListColumns<Lists>(columns, parseExactly);
  budget.read(lists.own.length + lists.general.length);

  const ownOf = await groupInSlices(lists.own, ({ key }) => key);
  const general = lists.general.slice(0, MAX_GENERAL).map(parse);
  // History before the oldest event of a truncated list is incomplete.
  const generalHorizon = lists.general.length > MAX_GENERAL ? (general.at(-1)?.id ?? 0) : 0;

  const historyOf = async (key: number): Promise<History<Row>> => {
    const { name, limit } = owners[key] as HistoryOwner;
    const found = ownOf.get(key) ?? [];
    const own: Row[] = [];
    await visitInSlices(found.slice(0, limit), (row) => own.push(parse(row)), ROWS_AT_ONCE);
    const ownHorizon = found.length > limit ? (own.at(-1)?.id ?? 0) : 0;
    const horizon = Math.max(ownHorizon, generalHorizon);
    const events = [...own, ...general.filter((event) => concerns(event, name))]
      .filter(({ id }) => id >= horizon)
      .sort((one, other) => one.id - other.id);
    return { events, isCut: horizon > 0 };
  };
  /** `historyOf` takes the index of an owner and builds its history on demand. */
  return { lists, historyOf };
};
