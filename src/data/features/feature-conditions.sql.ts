import { Prisma } from '../db.js';
import { condition, literalPattern } from '../sql/conditions.sql.js';
import { matchesPattern, type TextPattern } from '../sql/text-patterns.sql.js';
import { inVisibleProject } from '../sql/visible-projects.sql.js';
import type { Viewer } from '../viewer.js';
import {
  CURRENT_STAGE,
  hasTag,
  isEnabledIn,
  isFavoriteOf,
  LAST_SEEN,
  POTENTIALLY_STALE,
  usesSegment,
} from './feature-facts.sql.js';

export type FeatureTextList = 'names' | 'projects' | 'types';

/** `from` is inclusive, `before` exclusive. */
type Range<Value> = { from?: Value; before?: Value };

/** Conditions on a single feature; all that are present must match. */
export type FeatureConditions = {
  /** Only these; with `OtherThan`, all but these, including those without a value. */
  [List in FeatureTextList | `${FeatureTextList}OtherThan`]?: readonly string[];
} & {
  patterns?: { [List in FeatureTextList]?: TextPattern };
  /** Literal text, matched case-insensitively in the name or the description. */
  text?: string;
  archived?: boolean;
  stale?: boolean;
  potentiallyStale?: boolean;
  favorite?: boolean;
  tag?: { type: string; value: string };
  /** Current lifecycle stages; an empty text stands for features without any. */
  stages?: readonly string[];
  stagesOtherThan?: readonly string[];
  /** An environment in which it is enabled. */
  enabledEnvironmentName?: string;
  segment?: number;
  createdAt?: Range<Date>;
  /** `never` matches features that were never seen, or only those that were. */
  lastSeenAt?: Range<Date> & { never?: boolean };
  creators?: Range<number> & { among?: readonly number[]; except?: readonly number[] };
};

export type FeatureCriteria = FeatureConditions & {
  /** All of these must match. */
  and?: readonly FeatureCriteria[];
  /** At least one must match; an empty list matches nothing. */
  or?: readonly FeatureCriteria[];
  /** Must not match. Features that lack the tested value match. */
  not?: FeatureCriteria;
};

const TEXT_LISTS: readonly { list: FeatureTextList; column: Prisma.Sql }[] = [
  { list: 'names', column: Prisma.sql`t.name` },
  { list: 'projects', column: Prisma.sql`t.project` },
  { list: 'types', column: Prisma.sql`t.type` },
];

const textConditions = (criteria: FeatureConditions): Prisma.Sql[] =>
  TEXT_LISTS.flatMap(({ list, column }) => {
    const isAmong = (values: readonly string[]) => Prisma.sql`${column} = any(${values}::text[])`;
    const pattern = criteria.patterns?.[list];
    return [
      ...condition(criteria[list], isAmong),
      ...condition(
        criteria[`${list}OtherThan`],
        (values) => Prisma.sql`(${isAmong(values)}) is not true`,
      ),
      ...(pattern ? matchesPattern(column, pattern) : []),
    ];
  });

const withinRange = <Value>(column: Prisma.Sql, { from, before }: Range<Value>): Prisma.Sql[] => [
  ...condition(from, (value) => Prisma.sql`${column} >= ${value}`),
  ...condition(before, (value) => Prisma.sql`${column} < ${value}`),
];

const CREATOR = Prisma.sql`t.created_by_user_id`;

const creatorConditions = ({
  among,
  except,
  ...range
}: NonNullable<FeatureCriteria['creators']>) => [
  ...withinRange(CREATOR, range),
  ...condition(among, (ids) => Prisma.sql`${CREATOR} = any(${ids}::int[])`),
  ...condition(except, (ids) => Prisma.sql`(${CREATOR} = any(${ids}::int[])) is not true`),
];

const seenConditions = ({ never, ...range }: NonNullable<FeatureCriteria['lastSeenAt']>) => [
  ...withinRange(LAST_SEEN, range),
  ...condition(never, (is) =>
    is ? Prisma.sql`${LAST_SEEN} is null` : Prisma.sql`${LAST_SEEN} is not null`,
  ),
];

const conditionsOf = (viewer: Viewer, criteria: FeatureCriteria): Prisma.Sql[] => {
  const pattern = criteria.text === undefined ? undefined : `%${literalPattern(criteria.text)}%`;
  const whether = (fact: Prisma.Sql) => (is: boolean) => (is ? fact : Prisma.sql`not ${fact}`);
  return [
    ...textConditions(criteria),
    ...condition(
      pattern,
      (like) => Prisma.sql`(t.name ilike ${like} or t.description ilike ${like})`,
    ),
    ...condition(criteria.archived, (is) =>
      is ? Prisma.sql`t.archived_at is not null` : Prisma.sql`t.archived_at is null`,
    ),
    ...condition(criteria.stale, (is) => Prisma.sql`coalesce(t.stale, false) = ${is}`),
    ...condition(criteria.potentiallyStale, whether(POTENTIALLY_STALE)),
    ...condition(criteria.favorite, whether(isFavoriteOf(viewer.userId))),
    ...condition(criteria.tag, hasTag),
    ...condition(
      criteria.stages,
      (list) => Prisma.sql`coalesce(${CURRENT_STAGE}, '') = any(${list}::text[])`,
    ),
    ...condition(
      criteria.stagesOtherThan,
      (list) => Prisma.sql`coalesce(${CURRENT_STAGE}, '') <> all(${list}::text[])`,
    ),
    ...condition(criteria.enabledEnvironmentName, isEnabledIn),
    ...condition(criteria.segment, usesSegment),
    ...(criteria.createdAt ? withinRange(Prisma.sql`t.created_at`, criteria.createdAt) : []),
    ...(criteria.lastSeenAt ? seenConditions(criteria.lastSeenAt) : []),
    ...(criteria.creators ? creatorConditions(criteria.creators) : []),
    ...(criteria.and ?? []).map((inner) => meeting(viewer, inner)),
    ...condition(criteria.or, (choices) =>
      choices.length > 0
        ? Prisma.sql`(${Prisma.join(
            choices.map((inner) => meeting(viewer, inner)),
            ' or ',
          )})`
        : Prisma.sql`false`,
    ),
    // Conditions on null columns are unknown, which is not true either.
    ...condition(criteria.not, (inner) => Prisma.sql`${meeting(viewer, inner)} is not true`),
  ];
};

/** All criteria must match; without any, all features do. */
const meeting = (viewer: Viewer, criteria: FeatureCriteria): Prisma.Sql => {
  const conditions = conditionsOf(viewer, criteria);
  return conditions.length > 0
    ? Prisma.sql`(${Prisma.join(conditions, ' and ')})`
    : Prisma.sql`true`;
};

/** Condition on features (alias `t`) that every list of features uses. */
export const matchingFeatures = (viewer: Viewer, criteria: FeatureCriteria): Prisma.Sql =>
  Prisma.join(
    [inVisibleProject(viewer, Prisma.sql`t.project`), ...conditionsOf(viewer, criteria)],
    ' and ',
  );

/** Condition on the feature (alias `t`) of this name, if the viewer may see it. */
export const isFeature = (viewer: Viewer, name: string): Prisma.Sql =>
  Prisma.sql`t.name = ${name} and ${inVisibleProject(viewer, Prisma.sql`t.project`)}`;

/** Condition on the unarchived features (alias `t`) of a project. */
export const isActiveIn = (projectId: string): Prisma.Sql =>
  Prisma.sql`t.project = ${projectId} and t.archived_at is null`;
