import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma, type Sql } from '../db.js';
import { FeatureTable } from '../generated/tables.js';
import { columnsOf, withTimes } from '../sql/tables.sql.js';
import type { TagRow } from './clone-related-data.sql.js';

/** Placeholder in payloads of events, which the statement replaces with the timestamp. */
export const CREATED_AT: string = randomUUID();

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
  /** Records that the events were written together; null if this Unleash version does not. */
  groupId: string | null;
};

export type CloneAuthor = { userId: number; author: string; ip: string | null };

/** Values as rows with these columns. */
const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

/** Writes nothing if the feature was not created. */
const IF_CREATED = Prisma.sql`where exists (select from feature)`;

type Part = { name: string; insert: Prisma.Sql };

/** Inserts for links of the target project and for the requested extra parts; none for a plain clone. */
const extraParts = ({ name, links, tags, isFavorite }: CloneRows, userId: number): Part[] => [
  ...(links.length > 0
    ? [
        {
          name: 'links',
          insert: Prisma.sql`
      insert into feature_link (id, feature_name, url, title, domain)
      select id, ${name}, url, title, domain
      from ${rows(links, 'id text, url text, title text, domain text')} ${IF_CREATED}`,
        },
      ]
    : []),
  ...(tags.length > 0
    ? [
        {
          name: 'tags',
          insert: Prisma.sql`
      insert into feature_tag (feature_name, tag_type, tag_value, created_by_user_id)
      select ${name}, type, value, ${userId} from ${rows(tags, 'type text, value text')} ${IF_CREATED}`,
        },
      ]
    : []),
  ...(isFavorite
    ? [
        {
          name: 'favorites',
          insert: Prisma.sql`
      insert into favorite_features (feature, user_id) select ${name}, ${userId} ${IF_CREATED}`,
        },
      ]
    : []),
];

/** Columns and values that record which events were written together. */
const groupOf = ({ groupId }: CloneRows) =>
  groupId === null
    ? { columns: Prisma.empty, values: Prisma.empty }
    : {
        columns: Prisma.sql`, group_type, group_id`,
        values: Prisma.sql`, 'transaction', ${groupId}`,
      };

// Unleash writes the value of a tag before its type here.
const tagsText = (tags: readonly TagRow[]): string =>
  JSON.stringify(tags.map(({ type, value }) => ({ value, type })));

const EVENT_COLUMNS = 'n int, type text, environment text, data text';

/** Events as rows, with expressions for their tags and project; without extra parts, these are all the same. */
const eventRowsOf = ({ events, targetProject }: CloneRows) => {
  const values = events.map(({ type, environment, data }, index) => ({
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  }));
  if (events.every(({ tags }) => tags === undefined)) {
    return {
      rows: rows(values, EVENT_COLUMNS),
      tags: Prisma.sql`'[]'::json`,
      project: Prisma.sql`${targetProject}`,
    };
  }
  const extended = events.map(({ tags = [], project = targetProject }, index) => ({
    ...values[index],
    tags: tagsText(tags),
    project,
  }));
  return {
    rows: rows(extended, `${EVENT_COLUMNS}, tags text, project text`),
    tags: Prisma.sql`given.tags::json`,
    project: Prisma.sql`given.project`,
  };
};

const joined = (parts: readonly Prisma.Sql[]): Prisma.Sql =>
  parts.length === 0 ? Prisma.empty : Prisma.join(parts, '');

/**
 * Writes the rows of a checked clone and its events with one statement, or nothing if a condition no longer holds.
 * Inserting events locks event counters until the commit, for which other clones and Unleash wait, so there must be
 * no round trip in between.
 * Unleash polls by the largest event ID, so the events are written last, once all other rows are counted. It sorts by
 * timestamp, which only the wall clock distinguishes within a transaction, and a clock may tick too slowly for that.
 */
export const insertClone = async (
  db: Db,
  { userId, author, ip }: CloneAuthor,
  clone: CloneRows,
  conditions: readonly Sql[],
): Promise<Feature | null> => {
  const { source, name, targetProject, environments, strategies, dependencies } = clone;
  const segments = strategies.flatMap(({ id, segments: ids }) =>
    ids.map((segment) => ({ strategy: id, segment })),
  );
  const events = eventRowsOf(clone);
  const group = groupOf(clone);
  const extras = extraParts(clone, userId);
  const extraInserts = joined(
    extras.map(
      (part) => Prisma.sql`, ${Prisma.raw(part.name)} as (${part.insert}
      returning 1
    )`,
    ),
  );
  const extraCounts = joined(
    extras.map((part) => Prisma.sql` + (select count(*) from ${Prisma.raw(part.name)})`),
  );

  const [written] = await db.$queryRaw<{ feature: string }[]>(Prisma.sql`
    with feature as (
      insert into features (name, description, type, project, stale, impression_data, created_by_user_id)
      select ${name}, ${source.description}, ${source.type}, ${targetProject}, ${source.stale}::boolean,
        ${source.impressionData}::boolean, ${userId}::int
      where ${Prisma.join(conditions, ' and ')}
      returning ${Prisma.raw(Object.values(FeatureTable.columns).join(', '))}
    ), environments as (
      insert into feature_environments (environment, feature_name, enabled, variants)
      select environment, ${name}, false, variants from ${rows(environments, 'environment text, variants jsonb')}
      ${IF_CREATED}
      returning 1
    ), strategies as (
      insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, title, disabled,
        parameters, constraints, variants, sort_order)
      select id, ${name}, ${targetProject}, "environmentName", name, title, disabled, parameters, constraints,
        variants, "sortOrder"
      from ${rows(
        strategies,
        `id text, "environmentName" text, name text, title text, disabled boolean, parameters jsonb, constraints jsonb, variants jsonb, "sortOrder" int`,
      )}
      ${IF_CREATED}
      returning 1
    ), segments as (
      insert into feature_strategy_segment (feature_strategy_id, segment_id)
      select strategy, segment from ${rows(segments, 'strategy text, segment int')}
      ${IF_CREATED}
      returning 1
    ), dependencies as (
      insert into dependent_features (parent, child, enabled, variants)
      select "parentName", ${name}, enabled, variants
      from ${rows(dependencies, '"parentName" text, enabled boolean, variants json')}
      ${IF_CREATED}
      returning 1
    )${extraInserts}, written as (
      select (select count(*) from environments) + (select count(*) from strategies)
        + (select count(*) from segments) + (select count(*) from dependencies)${extraCounts} as rows
    ), events as (
      insert into events (type, created_by, created_by_user_id, data, tags, project, environment, feature_name, ip,
        created_at${group.columns})
      select given.type, ${author.slice(0, 255)}, ${userId},
        replace(given.data, ${CREATED_AT}, to_char(feature.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::json,
        ${events.tags}, ${events.project}, given.environment, ${name}, ${ip},
        clock_timestamp() + given.n * interval '1 microsecond'${group.values}
      from feature cross join written cross join ${events.rows}
      where written.rows >= 0 order by given.n
    )
    select row_to_json(found)::text as feature from (select ${columnsOf(FeatureTable)} from feature t) found`);
  if (!written) return null;
  const copy: Feature = JSON.parse(written.feature);
  withTimes(FeatureTable, [copy]);
  return copy;
};
