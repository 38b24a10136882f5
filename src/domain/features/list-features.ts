import type { Db, Feature, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertText, literalPattern } from '../text.js';

export type FeatureCriteria = {
  names?: readonly string[];
  projects?: readonly string[];
  types?: readonly string[];
  /** Literal text found, in any letter case, in the name or the description. */
  text?: string;
  archived?: boolean;
  stale?: boolean;
  favorite?: boolean;
  tag?: { type: string; value: string };
};

const contains = (text: string) => ({
  contains: literalPattern(text),
  mode: 'insensitive' as const,
});

/** The rule which features meet the criteria, for every list of them. */
export const matchingFeatures = (
  actor: Actor,
  criteria: FeatureCriteria,
): Prisma.FeatureWhereInput => {
  const { names, projects, types, text, archived, stale, favorite, tag } = criteria;
  assertText('The feature filter', ...(names ?? []), ...(projects ?? []), ...(types ?? []));
  assertText('The feature filter', text ?? '', tag?.type ?? '', tag?.value ?? '');

  const mine = { userId: actor.userId };
  return {
    AND: [
      names === undefined ? {} : { name: { in: [...names] } },
      projects === undefined ? {} : { projectId: { in: [...projects] } },
      types === undefined ? {} : { type: { in: [...types] } },
      text === undefined ? {} : { OR: [{ name: contains(text) }, { description: contains(text) }] },
      archived === undefined ? {} : { archivedAt: archived ? { not: null } : null },
      stale === undefined ? {} : stale ? { stale } : { OR: [{ stale }, { stale: null }] },
      favorite === undefined ? {} : { favorites: favorite ? { some: mine } : { none: mine } },
      tag === undefined ? {} : { tags: { some: tag } },
    ],
  };
};

/** The page of matching features next to a known name, by name. */
export const listFeatures = async (
  db: Db,
  actor: Actor,
  { criteria, page }: { criteria: FeatureCriteria; page: KeysetPage<string> },
): Promise<Slice<Feature>> => {
  assertText('The cursor', page.after ?? '', page.before ?? '');

  const rows = await db.feature.findMany({
    where: {
      AND: [
        matchingFeatures(actor, criteria),
        page.after === undefined ? {} : { name: { gt: page.after } },
        page.before === undefined ? {} : { name: { lt: page.before } },
      ],
    },
    orderBy: { name: page.backward ? 'desc' : 'asc' },
    take: page.limit + 1,
  });
  return sliceOf(rows, page);
};

/** How many features match, exactly. */
export const countFeatures = (db: Db, actor: Actor, criteria: FeatureCriteria): Promise<number> =>
  db.feature.count({ where: matchingFeatures(actor, criteria) });

/** One feature by its name, archived or not, or null. */
export const findFeature = async (db: Db, name: string): Promise<Feature | null> => {
  assertText('The feature name', name);

  return db.feature.findUnique({ where: { name } });
};
