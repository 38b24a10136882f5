import { randomUUID } from 'node:crypto';
import { type Db, type Feature, Prisma } from '../../data/db.js';
import { columnsOf, FEATURES, withTimes } from '../../data/tables.js';
import type { Actor } from '../actor.js';
import { createUlid } from '../ulid.js';
import type { CloneDraft } from './clone-draft.js';
import { CREATED_AT, eventRowsOf, type StrategyToWrite } from './clone-events.js';

/** Values as rows with these columns. */
const rows = (values: readonly object[], columns: string) =>
  Prisma.sql`json_to_recordset(${JSON.stringify(values)}::json) as given(${Prisma.raw(columns)})`;

/** Writes nothing if the feature was not created. */
const IF_CREATED = Prisma.sql`where exists (select from feature)`;

type Part = { name: string; insert: Prisma.Sql };

/** Inserts for links of the target project and for the requested extra parts; none for a plain clone. */
const extraParts = ({ name, links, tags, isFavorite }: CloneDraft, { userId }: Actor): Part[] => [
  ...(links.length > 0
    ? [
        {
          name: 'links',
          insert: Prisma.sql`
      insert into feature_link (id, feature_name, url, title, domain)
      select id, ${name}, url, title, domain
      from ${rows(
        links.map((link) => ({ id: createUlid(), ...link })),
        'id text, url text, title text, domain text',
      )} ${IF_CREATED}`,
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
const groupOf = ({ isGrouped }: CloneDraft) =>
  isGrouped
    ? {
        columns: Prisma.sql`, group_type, group_id`,
        values: Prisma.sql`, 'transaction', ${createUlid()}`,
      }
    : { columns: Prisma.empty, values: Prisma.empty };

const joined = (parts: readonly Prisma.Sql[]): Prisma.Sql =>
  parts.length === 0 ? Prisma.empty : Prisma.join(parts, '');

export type WriteOptions = {
  /** Must hold when the statement begins. */
  condition: Prisma.Sql;
  /** Identifies the clone for retries; null without an idempotency key. */
  fingerprintId: string | null;
};

/**
 * Writes the rows of a checked clone and its events with one statement, or nothing if the condition no longer holds.
 * Inserting events locks event counters until the commit, for which other clones and Unleash wait, so there must be
 * no round trip in between.
 * Unleash polls by the largest event ID, so the events are written last, once all other rows are counted. It sorts by
 * timestamp, which only the wall clock distinguishes within a transaction, and a clock may tick too slowly for that.
 */
export const writeClone = async (
  db: Db,
  actor: Actor,
  draft: CloneDraft,
  { condition, fingerprintId }: WriteOptions,
): Promise<Feature | null> => {
  const { source, name, targetProject, variantsOf, dependencies } = draft;
  const strategies = draft.strategies.map(
    (strategy): StrategyToWrite => ({ ...strategy, id: randomUUID() }),
  );
  const links = strategies.flatMap(({ id, segments }) =>
    segments.map((segment) => ({ strategy: id, segment })),
  );
  const environments = [...variantsOf].map(([environment, variants]) => ({
    environment,
    variants,
  }));
  const events = eventRowsOf(draft, strategies, fingerprintId);
  const group = groupOf(draft);
  const extras = extraParts(draft, actor);
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
        ${source.impressionData}::boolean, ${actor.userId}::int
      where ${condition}
      returning ${Prisma.raw(Object.values(FEATURES.columns).join(', '))}
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
      select strategy, segment from ${rows(links, 'strategy text, segment int')}
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
      select given.type, ${actor.author.slice(0, 255)}, ${actor.userId},
        replace(given.data, ${CREATED_AT}, to_char(feature.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::json,
        ${events.tags}, ${events.project}, given.environment, ${name}, ${actor.ip},
        clock_timestamp() + given.n * interval '1 microsecond'${group.values}
      from feature cross join written cross join ${rows(events.rows, events.columns)}
      where written.rows >= 0 order by given.n
    )
    select row_to_json(found)::text as feature from (select ${columnsOf(FEATURES)} from feature t) found`);
  if (!written) return null;
  const copy: Feature = JSON.parse(written.feature);
  withTimes(FEATURES, [copy]);
  return copy;
};
