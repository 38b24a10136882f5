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
};

export type CloneAuthor = { userId: number; author: string; ip: string | null };

/** Values as rows with these columns. */
const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

/** Rows of parts, each with the name of its clone. Joining `feature` writes nothing if no feature was created. */
const partRows = (values: readonly object[], columns: string) =>
  Prisma.sql`${rows(values, `"of" text, ${columns}`)} join feature on feature.name = given."of"`;

/** The parts of all clones, each with the name of its clone. */
const partsOf = <Part extends object>(
  clones: readonly CloneRows[],
  select: (clone: CloneRows) => readonly Part[],
): (Part & { of: string })[] =>
  clones.flatMap((clone) => select(clone).map((part) => ({ ...part, of: clone.name })));

type Part = { name: string; insert: Prisma.Sql };

/** Inserts for links of the target project and for the requested extra parts; none for a plain clone. */
const extraParts = (clones: readonly CloneRows[], userId: number): Part[] => {
  const links = partsOf(clones, (clone) => clone.links);
  const tags = partsOf(clones, (clone) => clone.tags);
  const favorites = partsOf(clones, ({ isFavorite }) => (isFavorite ? [{}] : []));
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
      select feature.name, ${userId}::int from ${rows(favorites, '"of" text')} join feature on feature.name = given."of"`,
    },
  ];
  return parts.filter(({ count }) => count > 0);
};

/** Columns and values that record which events were written together; null if this Unleash version does not. */
const groupOf = (groupId: string | null) =>
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
const eventRowsOf = (clones: readonly CloneRows[]) => {
  const events = partsOf(clones, (clone) =>
    clone.events.map((event) => ({ ...event, targetProject: clone.targetProject })),
  );
  const values = events.map(({ of, type, environment, data }, index) => ({
    of,
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  }));
  if (events.every(({ tags }) => tags === undefined)) {
    return {
      rows: partRows(values, EVENT_COLUMNS),
      tags: Prisma.sql`'[]'::json`,
      project: Prisma.sql`feature.project`,
    };
  }
  const extended = events.map(({ tags = [], targetProject, project = targetProject }, index) => ({
    ...values[index],
    tags: tagsText(tags),
    project,
  }));
  return {
    rows: partRows(extended, `${EVENT_COLUMNS}, tags text, project text`),
    tags: Prisma.sql`given.tags::json`,
    project: Prisma.sql`given.project`,
  };
};

const joined = (parts: readonly Prisma.Sql[]): Prisma.Sql =>
  parts.length === 0 ? Prisma.empty : Prisma.join(parts, '');

export type ClonesToWrite = {
  clones: readonly CloneRows[];
  /** Records that the events were written together; null if this Unleash version does not. */
  groupId: string | null;
};

const featureRowsOf = (clones: readonly CloneRows[]) =>
  rows(
    clones.map(({ name, targetProject, source }) => ({
      name,
      project: targetProject,
      description: source.description,
      type: source.type,
      stale: source.stale,
      impression: source.impressionData,
    })),
    'name text, project text, description text, type text, stale boolean, impression boolean',
  );

/**
 * Writes the rows of checked clones and their events with one statement, or nothing if a condition no longer holds.
 * Inserting events locks event counters until the commit, for which other clones and Unleash wait, so there must be
 * no round trip in between.
 * Unleash polls by the largest event ID, so the events are written last, once all other rows are counted. It sorts by
 * timestamp, which only the wall clock distinguishes within a transaction, and a clock may tick too slowly for that.
 */
export const insertClones = async (
  db: Db,
  { userId, author, ip }: CloneAuthor,
  { clones, groupId }: ClonesToWrite,
  conditions: readonly Sql[],
): Promise<Feature[] | null> => {
  const environments = partsOf(clones, (clone) => clone.environments);
  const strategies = partsOf(clones, (clone) => clone.strategies);
  const dependencies = partsOf(clones, (clone) => clone.dependencies);
  const segments = strategies.flatMap(({ id, of, segments: ids }) =>
    ids.map((segment) => ({ of, strategy: id, segment })),
  );
  const events = eventRowsOf(clones);
  const group = groupOf(groupId);
  const extras = extraParts(clones, userId);
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

  const written = await db.$queryRaw<{ feature: string }[]>(Prisma.sql`
    with feature as (
      insert into features (name, description, type, project, stale, impression_data, created_by_user_id)
      select given.name, given.description, given.type, given.project, given.stale, given.impression, ${userId}::int
      from ${featureRowsOf(clones)}
      where ${Prisma.join(conditions, ' and ')}
      returning ${Prisma.raw(Object.values(FeatureTable.columns).join(', '))}
    ), environments as (
      insert into feature_environments (environment, feature_name, enabled, variants)
      select given.environment, given."of", false, given.variants
      from ${partRows(environments, 'environment text, variants jsonb')}
      returning 1
    ), strategies as (
      insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, title, disabled,
        parameters, constraints, variants, sort_order)
      select given.id, given."of", feature.project, given."environmentName", given.name, given.title, given.disabled,
        given.parameters, given.constraints, given.variants, given."sortOrder"
      from ${partRows(
        strategies,
        `id text, "environmentName" text, name text, title text, disabled boolean, parameters jsonb, constraints jsonb, variants jsonb, "sortOrder" int`,
      )}
      returning 1
    ), segments as (
      insert into feature_strategy_segment (feature_strategy_id, segment_id)
      select given.strategy, given.segment from ${partRows(segments, 'strategy text, segment int')}
      returning 1
    ), dependencies as (
      insert into dependent_features (parent, child, enabled, variants)
      select given."parentName", given."of", given.enabled, given.variants
      from ${partRows(dependencies, '"parentName" text, enabled boolean, variants json')}
      returning 1
    )${extraInserts}, written as (
      select (select count(*) from environments) + (select count(*) from strategies)
        + (select count(*) from segments) + (select count(*) from dependencies)${extraCounts} as rows
    ), events as (
      insert into events (type, created_by, created_by_user_id, data, tags, project, environment, feature_name, ip,
        created_at${group.columns})
      select given.type, ${author.slice(0, 255)}, ${userId}::int,
        replace(given.data, ${CREATED_AT}, to_char(feature.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::json,
        ${events.tags}, ${events.project}, given.environment, given."of", ${ip},
        clock_timestamp() + given.n * interval '1 microsecond'${group.values}
      from written cross join ${events.rows}
      where written.rows >= 0 order by given.n
    )
    select row_to_json(found)::text as feature from (select ${columnsOf(FeatureTable)} from feature t) found`);
  if (written.length === 0) return null;
  const copies = new Map(
    written.map(({ feature }) => JSON.parse(feature) as Feature).map((copy) => [copy.name, copy]),
  );
  withTimes(FeatureTable, [...copies.values()]);
  return clones.flatMap(({ name }) => copies.get(name) ?? []);
};
