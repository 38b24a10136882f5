import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma, type Sql } from '../db.js';
import { FeatureTable } from '../generated/tables.js';
import { columnsOf, withTimes } from '../sql/tables.sql.js';
import {
  type CloneRows,
  eventRowsOf,
  extraParts,
  groupOf,
  partRows,
  partsOf,
  rows,
} from './clone-rows.sql.js';

/** Placeholder in payloads of events, which the statement replaces with the timestamp. */
export const CREATED_AT: string = randomUUID();

export type CloneAuthor = { userId: number; author: string; ip: string | null };

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
      select given.id, given."of", given.project, given."environmentName", given.name, given.title, given.disabled,
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
        ${events.tags}, given.project, given.environment, given."of", ${ip},
        clock_timestamp() + given.n * interval '1 microsecond'${group.values}
      from feature join ${events.rows} on given."of" = feature.name cross join written
      where written.rows >= 0 order by given.n
    )
    select row_to_json(found)::text as feature from (select ${columnsOf(FeatureTable)} from feature t) found`);
  if (written.length === 0) return null;
  const copies = new Map(
    written.map(({ feature }) => JSON.parse(feature) as Feature).map((copy) => [copy.name, copy]),
  );
  await withTimes(FeatureTable, [...copies.values()]);
  return clones.flatMap(({ name }) => copies.get(name) ?? []);
};
