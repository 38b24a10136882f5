import type { Db, Prisma, Segment } from '../../data/db.js';
import { literalPattern } from '../../data/sql/conditions.sql.js';
import { visibleIds } from '../../data/viewer.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';

export type { Segment };

/** `search` is a literal text, matched case-insensitively in the name or the description. */
type Query = { search?: string | undefined };

/** Position in the list: name, then ID, because names are not unique everywhere. */
export type SegmentPlace = readonly [id: number, name: string];

export const segmentPlaceOf = ({ id, name }: Segment): SegmentPlace => [id, name];

/** Segments of a project are visible with their project; those without one are visible to all. */
const matchingSegments = (actor: Actor, { search }: Query): Prisma.SegmentWhereInput => {
  assertSearchText("'search'", search ?? '', MAX_NAME_TEXT_LENGTH);

  const contains = { contains: literalPattern(search ?? ''), mode: 'insensitive' as const };
  return {
    AND: [
      actor.visibleProjects === null
        ? {}
        : { OR: [{ projectId: null }, { projectId: visibleIds(actor) }] },
      search === undefined ? {} : { OR: [{ name: contains }, { description: contains }] },
    ],
  };
};

const beyond = (
  operator: 'gt' | 'lt',
  place: SegmentPlace | undefined,
): Prisma.SegmentWhereInput => {
  if (place === undefined) return {};
  const [id, name] = place;
  return { OR: [{ name: { [operator]: name } }, { name, id: { [operator]: id } }] };
};

/** The page of segments next to a known one, by name. */
export const listSegments = async (
  db: Db,
  actor: Actor,
  { page, ...query }: Query & { page: KeysetPage<SegmentPlace> },
): Promise<Slice<Segment>> => {
  assertText('The cursor', page.after?.[1] ?? '', page.before?.[1] ?? '');

  const direction = page.backward ? 'desc' : 'asc';
  const rows = await db.segment.findMany({
    where: {
      AND: [matchingSegments(actor, query), beyond('gt', page.after), beyond('lt', page.before)],
    },
    orderBy: [{ name: direction }, { id: direction }],
    take: page.limit + 1,
  });
  return sliceOf(rows, page);
};

/** Exact, or up to `upTo` if given. */
export const countSegments = (
  db: Db,
  actor: Actor,
  { upTo, ...query }: Query & { upTo?: number | undefined },
): Promise<number> =>
  db.segment.count({
    where: matchingSegments(actor, query),
    ...(upTo !== undefined && { take: upTo }),
  });
