import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma } from '../../data/db.js';
import { columnsOf, FEATURES, withTimes } from '../../data/tables.js';
import type { Actor } from '../actor.js';
import type { ClonePlan } from './clone-guards.js';
import { copyStrategy, type StrategyCopy, strategyEventData } from './copy-strategy.js';
import { inStoredOrder } from './stored-order.js';

type NewEvent = { type: string; environment: string | null; data: unknown };

type StrategyToWrite = StrategyCopy & { id: string };

/** The metadata of a new feature, as its first event and the original's answer show it. */
const featureMetadata = ({ source: { feature }, name, targetProject }: ClonePlan) => ({
  name,
  description: feature.description,
  type: feature.type,
  project: targetProject,
  stale: feature.stale,
  // Only the database knows: it puts the moment in.
  createdAt: CREATED_AT,
  lastSeenAt: null,
  impressionData: feature.impressionData,
  archivedAt: null,
  archived: false,
});

const CREATED_AT = randomUUID();

const strategiesOf = ({ source, name, replaceGroupId, defaultStickiness }: ClonePlan) =>
  source.strategies.map(
    (strategy): StrategyToWrite => ({
      ...copyStrategy(strategy, { newName: name, replaceGroupId, defaultStickiness }),
      id: randomUUID(),
    }),
  );

/** The events that tell of the clone, in their order. */
const eventsOf = (plan: ClonePlan, strategies: readonly StrategyToWrite[]): NewEvent[] => [
  { type: 'feature-created', environment: null, data: featureMetadata(plan) },
  ...strategies.map((strategy) => ({
    type: 'feature-strategy-add',
    environment: strategy.environmentName,
    // Payloads have their keys in the order in which the database gives them back.
    data: strategyEventData({
      ...strategy,
      parameters: inStoredOrder(strategy.parameters),
      constraints: inStoredOrder(strategy.constraints),
      variants: inStoredOrder(strategy.variants),
    }),
  })),
  ...plan.source.dependencies.map(({ parentName, enabled, variants }) => ({
    type: 'feature-dependency-added',
    environment: null,
    data: { feature: parentName, enabled, variants },
  })),
];

/** A list of values as rows with these columns. */
const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

/**
 * Writes the rows of a judged clone and the events that tell of it, with one statement: other clones, and the original,
 * wait for each other's counters of events until they are committed, so nothing is sent to and fro in between. A running
 * original polls by the largest event id, so the events are written last, when all other rows are counted; and it sorts
 * by time, which inside one transaction only the wall clock tells apart; a clock may tick too slowly for that.
 */
export const writeClone = async (db: Db, actor: Actor, plan: ClonePlan): Promise<Feature> => {
  const { source, name, targetProject, variantsOf } = plan;
  const { feature, dependencies } = source;
  const strategies = strategiesOf(plan);
  const links = strategies.flatMap(({ id, segments }) =>
    segments.map((segment) => ({ strategy: id, segment })),
  );
  const environments = [...variantsOf].map(([environment, variants]) => ({
    environment,
    variants,
  }));
  const events = eventsOf(plan, strategies).map(({ type, environment, data }, index) => ({
    n: index + 1,
    type,
    environment,
    data: JSON.stringify(data),
  }));

  const [written] = await db.$queryRaw<[{ feature: string }]>(Prisma.sql`
    with feature as (
      insert into features (name, description, type, project, stale, impression_data, created_by_user_id)
      values (${name}, ${feature.description}, ${feature.type}, ${targetProject}, ${feature.stale},
        ${feature.impressionData}, ${actor.userId})
      returning ${Prisma.raw(Object.values(FEATURES.columns).join(', '))}
    ), environments as (
      insert into feature_environments (environment, feature_name, enabled, variants)
      select environment, ${name}, false, variants from ${rows(environments, 'environment text, variants jsonb')}
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
      returning 1
    ), segments as (
      insert into feature_strategy_segment (feature_strategy_id, segment_id)
      select strategy, segment from ${rows(links, 'strategy text, segment int')}
      returning 1
    ), dependencies as (
      insert into dependent_features (parent, child, enabled, variants)
      select "parentName", ${name}, enabled, variants
      from ${rows(dependencies, '"parentName" text, enabled boolean, variants json')}
      returning 1
    ), written as (
      select (select count(*) from environments) + (select count(*) from strategies)
        + (select count(*) from segments) + (select count(*) from dependencies) as rows
    ), events as (
      insert into events (type, created_by, created_by_user_id, data, tags, project, environment, feature_name, ip,
        created_at)
      select given.type, ${actor.author.slice(0, 255)}, ${actor.userId},
        replace(given.data, ${CREATED_AT}, to_char(feature.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::json,
        '[]'::json, ${targetProject}, given.environment, ${name}, ${actor.ip},
        clock_timestamp() + given.n * interval '1 microsecond'
      from feature cross join written cross join ${rows(events, 'n int, type text, environment text, data text')}
      where written.rows >= 0 order by given.n
    )
    select row_to_json(found)::text as feature from (select ${columnsOf(FEATURES)} from feature t) found`);
  const copy: Feature = JSON.parse(written.feature);
  withTimes(FEATURES, [copy]);
  return copy;
};
