import { type Db, Prisma, type Project } from '../db.js';
import { ProjectTable } from '../generated/tables.js';
import type { KeysetPage, Order } from '../paging.js';
import { condition, literalPattern } from '../sql/conditions.sql.js';
import { countUpTo } from '../sql/count-up-to.sql.js';
import {
  keysetBounds,
  keysetOrder,
  type OrderedPage,
  type Position,
  type SortKey,
} from '../sql/keyset.sql.js';
import { LOWEST, milliseconds } from '../sql/read-rows.sql.js';
import { columnsOf, readTableRows } from '../sql/tables.sql.js';
import { matchesPattern, type TextPattern } from '../sql/text-patterns.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';

export type ProjectCriteria = {
  ids?: readonly string[];
  idsOtherThan?: readonly string[];
  patterns?: { ids?: TextPattern };
  /** Literal text, matched case-insensitively in the ID, the name or the description. */
  text?: string;
  archived?: boolean;
  /** A known mode, or `other` for all unknown ones. */
  mode?: string;
  favorite?: boolean;
  /** Only among these. */
  permitted?: readonly string[];
};

const PROJECT_MODES = ['open', 'protected', 'private'];

export const PROJECT_ORDERS = ['ID', 'NAME', 'CREATED_AT', 'UPDATED_AT', 'HEALTH'] as const;

export type ProjectOrder = Order<(typeof PROJECT_ORDERS)[number]>;

export type ProjectPageQuery = {
  criteria: ProjectCriteria;
  order: ProjectOrder;
  page: KeysetPage<Position>;
};

type Listed = { sortValue: string | number };

/** A project and the value that it is sorted by. */
export type ListedProject = Project & Listed;

const time = (column: Prisma.Sql): SortKey => ({
  sql: Prisma.sql`coalesce(${milliseconds(column)}::bigint, ${LOWEST}::bigint)`,
  type: 'bigint',
});

const ID: SortKey = { sql: Prisma.sql`t.id`, type: 'text' };

/** Projects (alias `t`) by a value, then by ID. */
const KEYS: Readonly<Record<ProjectOrder['field'], readonly SortKey[]>> = {
  ID: [ID],
  NAME: [{ sql: Prisma.sql`t.name::text`, type: 'text' }, ID],
  CREATED_AT: [time(Prisma.sql`t.created_at`), ID],
  UPDATED_AT: [time(Prisma.sql`t.updated_at`), ID],
  // The rule of `healthScore`.
  HEALTH: [{ sql: Prisma.sql`coalesce(t.health, 100)::bigint`, type: 'bigint' }, ID],
};

/** Condition on projects (alias `t`) that every list of projects uses. */
const matchingProjects = (viewer: Viewer, criteria: ProjectCriteria): Prisma.Sql => {
  const pattern = criteria.text === undefined ? undefined : `%${literalPattern(criteria.text)}%`;
  const favorite = Prisma.sql`exists (select from favorite_projects held
    where held.project = t.id and held.user_id = ${viewer.userId})`;
  // A project without settings is open.
  const mode = Prisma.sql`coalesce((select settings.project_mode::text from project_settings settings
    where settings.project = t.id), 'open')`;
  const conditions = [
    inVisibleProject(viewer, Prisma.sql`t.id`),
    ...condition(criteria.permitted, (ids) => Prisma.sql`t.id = any(${ids}::text[])`),
    ...condition(criteria.ids, (ids) => Prisma.sql`t.id = any(${ids}::text[])`),
    ...condition(criteria.idsOtherThan, (ids) => Prisma.sql`t.id <> all(${ids}::text[])`),
    ...matchesPattern(Prisma.sql`t.id`, criteria.patterns?.ids ?? {}),
    ...condition(
      pattern,
      (like) =>
        Prisma.sql`(t.id ilike ${like} or t.name ilike ${like} or t.description ilike ${like})`,
    ),
    ...condition(criteria.archived, (is) =>
      is ? Prisma.sql`t.archived_at is not null` : Prisma.sql`t.archived_at is null`,
    ),
    ...condition(criteria.favorite, (is) => (is ? favorite : Prisma.sql`not ${favorite}`)),
    ...condition(criteria.mode, (wanted) =>
      wanted === 'other'
        ? Prisma.sql`${mode} <> all(${[...PROJECT_MODES]}::text[])`
        : Prisma.sql`${mode} = ${wanted}`,
    ),
  ];
  return Prisma.join(conditions, ' and ');
};

/** With one extra row. */
export const readProjectPage = (
  db: Db,
  viewer: Viewer,
  { criteria, order, page }: ProjectPageQuery,
): Promise<ListedProject[]> => {
  const keys = KEYS[order.field];
  const ordered: OrderedPage = { ...page, descending: order.descending };
  return readTableRows<Project, Listed>(
    db,
    ProjectTable,
    Prisma.sql`
    select ${columnsOf(ProjectTable)}, ${keys[0]?.sql} as "sortValue" from projects t
    where ${matchingProjects(viewer, criteria)} and ${keysetBounds(keys, ordered)}
    order by ${keysetOrder(keys, ordered)} limit ${page.limit + 1}`,
  );
};

/** Counts all, or up to `upTo` if given. */
export const countMatchingProjects = async (
  db: Db,
  viewer: Viewer,
  { criteria, upTo }: { criteria: ProjectCriteria; upTo?: number | undefined },
): Promise<number> => {
  const rows = Prisma.sql`from projects t where ${matchingProjects(viewer, criteria)}`;
  if (upTo !== undefined) return countUpTo(db, rows, upTo);
  const [row] = await db.$queryRaw<[{ total: bigint }]>(
    Prisma.sql`select count(*) as total ${rows}`,
  );
  return Number(row.total);
};
