import { condition, literalPattern } from '../../data/conditions.js';
import { countUpTo } from '../../data/count-up-to.js';
import { type Db, type Feature, Prisma } from '../../data/db.js';
import { FEATURES, readTable } from '../../data/tables.js';
import { inVisibleProject, visibleIds } from '../../data/visible-projects.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';

export type FeatureCriteria = {
  names?: readonly string[];
  namesOtherThan?: readonly string[];
  projects?: readonly string[];
  projectsOtherThan?: readonly string[];
  types?: readonly string[];
  typesOtherThan?: readonly string[];
  /** Literal text, matched case-insensitively in the name or the description. */
  text?: string;
  archived?: boolean;
  stale?: boolean;
  favorite?: boolean;
  tag?: { type: string; value: string };
};

/** Also matches null. */
const otherThan = (column: Prisma.Sql, values: readonly string[]): Prisma.Sql =>
  Prisma.sql`(${column} = any(${values}::text[])) is not true`;

/** Condition on features (alias `t`) that every list of features uses. */
export const matchingFeatures = (actor: Actor, criteria: FeatureCriteria): Prisma.Sql => {
  const { names, projects, types, namesOtherThan, projectsOtherThan, typesOtherThan, text, tag } =
    criteria;
  for (const list of [names, projects, types, namesOtherThan, projectsOtherThan, typesOtherThan]) {
    assertText('The feature filter', ...(list ?? []));
  }
  assertSearchText('The text of the feature filter', text ?? '', MAX_NAME_TEXT_LENGTH);
  assertText('The feature filter', tag?.type ?? '', tag?.value ?? '');

  const pattern = text === undefined ? undefined : `%${literalPattern(text)}%`;
  const favorite = Prisma.sql`exists (select from favorite_features held
    where held.feature = t.name and held.user_id = ${actor.userId})`;
  const conditions = [
    inVisibleProject(actor, Prisma.sql`t.project`),
    ...condition(names, (list) => Prisma.sql`t.name = any(${list}::text[])`),
    ...condition(projects, (list) => Prisma.sql`t.project = any(${list}::text[])`),
    ...condition(types, (list) => Prisma.sql`t.type = any(${list}::text[])`),
    ...condition(namesOtherThan, (list) => otherThan(Prisma.sql`t.name`, list)),
    ...condition(projectsOtherThan, (list) => otherThan(Prisma.sql`t.project`, list)),
    ...condition(typesOtherThan, (list) => otherThan(Prisma.sql`t.type`, list)),
    ...condition(
      pattern,
      (like) => Prisma.sql`(t.name ilike ${like} or t.description ilike ${like})`,
    ),
    ...condition(criteria.archived, (is) =>
      is ? Prisma.sql`t.archived_at is not null` : Prisma.sql`t.archived_at is null`,
    ),
    ...condition(criteria.stale, (is) => Prisma.sql`coalesce(t.stale, false) = ${is}`),
    ...condition(criteria.favorite, (is) => (is ? favorite : Prisma.sql`not ${favorite}`)),
    ...condition(
      tag,
      ({ type, value }) => Prisma.sql`exists (select from feature_tag held
        where held.feature_name = t.name and held.tag_type = ${type} and held.tag_value = ${value})`,
    ),
  ];
  return Prisma.join(conditions, ' and ');
};

/** Keyset page over features (alias `t`), by name, with one extra row. */
export const featurePage = ({ after, before, backward, limit }: KeysetPage<string>): Prisma.Sql => {
  assertText('The cursor', after ?? '', before ?? '');

  return Prisma.sql`
    ${after === undefined ? Prisma.empty : Prisma.sql`and t.name > ${after}`}
    ${before === undefined ? Prisma.empty : Prisma.sql`and t.name < ${before}`}
    order by t.name ${backward ? Prisma.sql`desc` : Prisma.sql`asc`} limit ${limit + 1}`;
};

/** The page of matching features next to a known name, by name. */
export const listFeatures = async (
  db: Db,
  actor: Actor,
  { criteria, page }: { criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<Slice<Feature>> => {
  const rows = await readTable(
    db,
    FEATURES,
    Prisma.sql`${matchingFeatures(actor, criteria)} ${featurePage(page)}`,
  );
  return sliceOf(rows, page);
};

/** Exact, or up to `upTo` if given. */
export const countFeatures = async (
  db: Db,
  actor: Actor,
  { criteria, upTo }: { criteria: FeatureCriteria; upTo?: number | undefined },
): Promise<number> => {
  if (upTo !== undefined) {
    const rows = Prisma.sql`from features t where ${matchingFeatures(actor, criteria)}`;
    return countUpTo(db, rows, upTo);
  }
  const [row] = await db.$queryRaw<[{ total: bigint }]>(
    Prisma.sql`select count(*) as total from features t where ${matchingFeatures(actor, criteria)}`,
  );
  return Number(row.total);
};

/** Archived or not; null if there is none that the actor may see. */
export const findFeature = async (db: Db, actor: Actor, name: string): Promise<Feature | null> => {
  assertText('The feature name', name);

  return db.feature.findFirst({ where: { name, projectId: visibleIds(actor) } });
};
