import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma, type Strategy } from '../../data/db.js';
import { columnsOf, FEATURES, STRATEGIES, withTimes } from '../../data/tables.js';
import type { Actor } from '../actor.js';
import type { ClonePlan } from './clone-guards.js';
import { copyStrategy, type StrategyCopy, strategyEventData } from './copy-strategy.js';
import type { SourceStrategy } from './strategy-rules.js';

type NewEvent = { type: string; environment: string | null; data: unknown };

/** The metadata of a new feature, as its first event and the original's answer show it. */
export const featureMetadata = (feature: Feature) => ({
  name: feature.name,
  description: feature.description,
  type: feature.type,
  project: feature.projectId,
  stale: feature.stale,
  createdAt: feature.createdAt,
  lastSeenAt: feature.lastSeenAt,
  impressionData: feature.impressionData,
  archivedAt: feature.archivedAt,
  archived: feature.archivedAt !== null,
});

type StrategyToWrite = { id: string; source: SourceStrategy; copy: StrategyCopy };

const strategiesOf = (plan: ClonePlan): StrategyToWrite[] =>
  plan.source.strategies.map((source) => ({
    id: randomUUID(),
    source,
    copy: copyStrategy(source, {
      newName: plan.name,
      replaceGroupId: plan.replaceGroupId,
      defaultStickiness: plan.defaultStickiness,
    }),
  }));

/** A list of values as rows with these columns. */
const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

type Written = { feature: Feature; strategies: Strategy[] };

/**
 * Writes everything but the events with one statement. The rows are read back because the events show payloads in the
 * key order the database gives them.
 */
const writeRows = async (
  tx: Db,
  actor: Actor,
  { source: { feature, dependencies }, name, targetProject, variantsOf }: ClonePlan,
  strategies: readonly StrategyToWrite[],
): Promise<Written> => {
  const environments = [...variantsOf].map(([environment, variants]) => ({
    environment,
    variants,
  }));
  const links = strategies.flatMap(({ id, copy }) =>
    copy.segments.map((segment) => ({ strategy: id, segment })),
  );
  const [written] = await tx.$queryRaw<[{ feature: string; strategies: string }]>(Prisma.sql`
    with feature as (
      insert into features (name, description, type, project, stale, impression_data, created_by_user_id)
      values (${name}, ${feature.description}, ${feature.type}, ${targetProject}, ${feature.stale},
        ${feature.impressionData}, ${actor.userId})
      returning *
    ), environments as (
      insert into feature_environments (environment, feature_name, enabled, variants)
      select environment, ${name}, false, variants from ${rows(environments, 'environment text, variants jsonb')}
    ), strategies as (
      insert into feature_strategies (id, feature_name, project_name, environment, strategy_name, title, disabled,
        parameters, constraints, variants, sort_order)
      select id, ${name}, ${targetProject}, "environmentName", name, title, disabled, parameters, constraints,
        variants, "sortOrder"
      from ${rows(
        strategies.map(({ id, copy }) => ({ ...copy, id })),
        `id text, "environmentName" text, name text, title text, disabled boolean, parameters jsonb,
         constraints jsonb, variants jsonb, "sortOrder" int`,
      )}
      returning *
    ), segments as (
      insert into feature_strategy_segment (feature_strategy_id, segment_id)
      select strategy, segment from ${rows(links, 'strategy text, segment int')}
    ), dependencies as (
      insert into dependent_features (parent, child, enabled, variants)
      select "parentName", ${name}, enabled, variants
      from ${rows(dependencies, '"parentName" text, enabled boolean, variants json')}
    )
    select (select row_to_json(found) from (select ${columnsOf(FEATURES)} from feature t) found)::text as feature,
      (select coalesce(json_agg(found), '[]') from (select ${columnsOf(STRATEGIES)} from strategies t) found)::text
        as strategies`);
  const copy: Feature = JSON.parse(written.feature);
  withTimes(FEATURES, [copy]);
  return {
    feature: copy,
    strategies: JSON.parse(written.strategies),
  };
};

const strategyEvents = (
  strategies: readonly StrategyToWrite[],
  written: readonly Strategy[],
): NewEvent[] => {
  const rowOf = new Map(written.map((row) => [row.id, row]));
  return strategies.flatMap(({ id, copy: { segments } }) => {
    const row = rowOf.get(id);
    if (!row) return [];
    return [
      {
        type: 'feature-strategy-add',
        environment: row.environmentName,
        data: strategyEventData({ ...row, segments }),
      },
    ];
  });
};

const dependencyEvents = ({ source }: ClonePlan): NewEvent[] =>
  source.dependencies.map(({ parentName, enabled, variants }) => ({
    type: 'feature-dependency-added',
    environment: null,
    data: { feature: parentName, enabled, variants },
  }));

// A running original polls by the largest event id, so the rows are drawn last, right before the commit; and it
// sorts by time, which inside one transaction only the wall clock tells apart; a clock may tick too slowly for that.
const writeEvents = (tx: Db, actor: Actor, plan: ClonePlan, events: readonly NewEvent[]) => {
  const author = actor.author.slice(0, 255);
  const rows = events.map(
    ({ type, environment, data }, index) =>
      Prisma.sql`(${type}, ${author}, ${actor.userId}, ${JSON.stringify(data)}::json, '[]'::json,
        ${plan.targetProject}, ${environment}, ${plan.name}, ${actor.ip}, clock_timestamp() + ${index} * interval '1 microsecond')`,
  );
  return tx.$executeRaw(Prisma.sql`
    insert into events (type, created_by, created_by_user_id, data, tags, project, environment,
      feature_name, ip, created_at) values ${Prisma.join(rows)}`);
};

/** Writes the rows of a judged clone and the events that tell of it. */
export const writeClone = async (tx: Db, actor: Actor, plan: ClonePlan): Promise<Feature> => {
  const strategies = strategiesOf(plan);
  const written = await writeRows(tx, actor, plan, strategies);
  await writeEvents(tx, actor, plan, [
    { type: 'feature-created', environment: null, data: featureMetadata(written.feature) },
    ...strategyEvents(strategies, written.strategies),
    ...dependencyEvents(plan),
  ]);
  return written.feature;
};
