import { type Feature, Prisma } from '../db.js';
import type { TagRow } from './clone-related-data.sql.js';

export type EventToWrite = {
  type: string;
  environment: string | null;
  data: unknown;
  /** Tags that the clone has at this point. Default: none. */
  tags?: readonly TagRow[];
  /** Default: the target project. */
  project?: null;
};

type JsonObject = { readonly [key: string]: unknown };

export type StrategyToWrite = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  environmentName: string;
  parameters: JsonObject;
  constraints: JsonObject[];
  variants: JsonObject[];
  sortOrder: number;
  /** IDs of the segments to link. */
  segments: number[];
};

/** Everything that a clone writes. */
export type CloneRows = {
  name: string;
  targetProject: string;
  /** Source of the clone's metadata. */
  source: Pick<Feature, 'description' | 'type' | 'stale' | 'impressionData'>;
  environments: readonly { environment: string; variants: readonly object[] }[];
  strategies: readonly StrategyToWrite[];
  dependencies: readonly { parentName: string; enabled: boolean; variants: readonly string[] }[];
  links: readonly { id: string; url: string; title?: string | null; domain: string | null }[];
  tags: readonly TagRow[];
  /** Whether the clone becomes a favorite of its author. */
  isFavorite: boolean;
  events: readonly EventToWrite[];
};

/** Values as rows with these columns. */
export const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

/** Rows of parts, each with the name and the project of its clone. None if no feature was created. */
export const partRows = (values: readonly object[], columns: string) =>
  Prisma.sql`${rows(values, `"of" text, project text, ${columns}`)} where exists (select from feature)`;

/** The parts of all clones, each with the name and the project of its clone. */
export const partsOf = <Part extends object>(
  clones: readonly CloneRows[],
  select: (clone: CloneRows) => readonly Part[],
) =>
  clones.flatMap((clone) =>
    select(clone).map((part) => ({ project: clone.targetProject, ...part, of: clone.name })),
  );

type Part = { name: string; insert: Prisma.Sql };

/** Inserts for links of the target project and for the requested extra parts; none for a plain clone. */
export const extraParts = (clones: readonly CloneRows[], userId: number): Part[] => {
  const links = partsOf(clones, (clone) => clone.links);
  const tags = partsOf(clones, (clone) => clone.tags);
  const favorites = partsOf(clones, ({ isFavorite }) => (isFavorite ? [{ favorite: true }] : []));
  const parts = [
    {
      count: links.length,
      name: 'links',
      insert: Prisma.sql`
      insert into feature_link (id, feature_name, url, title, domain)
      select given.id, given."of", given.url, given.title, given.domain
      from ${partRows(links, 'id text, url text, title text, domain text')}`,
    },
    {
      count: tags.length,
      name: 'tags',
      insert: Prisma.sql`
      insert into feature_tag (feature_name, tag_type, tag_value, created_by_user_id)
      select given."of", given.type, given.value, ${userId}::int from ${partRows(tags, 'type text, value text')}`,
    },
    {
      count: favorites.length,
      name: 'favorites',
      insert: Prisma.sql`
      insert into favorite_features (feature, user_id)
      select given."of", ${userId}::int from ${partRows(favorites, 'favorite boolean')}`,
    },
  ];
  return parts.filter(({ count }) => count > 0);
};

/** Columns and values that record which events were written together; null if this Unleash version does not. */
export const groupOf = (groupId: string | null) =>
  groupId === null
    ? { columns: Prisma.empty, values: Prisma.empty }
    : {
        columns: Prisma.sql`, group_type, group_id`,
        values: Prisma.sql`, 'transaction', ${groupId}`,
      };

// Unleash writes the value of a tag before its type here.
const tagsText = (tags: readonly TagRow[]): string =>
  JSON.stringify(tags.map(({ type, value }) => ({ value, type })));

const EVENT_COLUMNS = '"of" text, project text, n int, type text, environment text, data text';

/** Events as rows, with an expression for their tags; without extra parts, there are none. */
export const eventRowsOf = (clones: readonly CloneRows[]) => {
  const events = partsOf(clones, (clone) => clone.events);
  const values = events.map(({ of, project, type, environment, data }, index) => ({
    of,
    project,
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  }));
  if (events.every(({ tags }) => tags === undefined)) {
    return {
      rows: rows(values, EVENT_COLUMNS),
      tags: Prisma.sql`'[]'::json`,
    };
  }
  const extended = events.map(({ tags = [] }, index) => ({
    ...values[index],
    tags: tagsText(tags),
  }));
  return {
    rows: rows(extended, `${EVENT_COLUMNS}, tags text`),
    tags: Prisma.sql`given.tags::json`,
  };
};
