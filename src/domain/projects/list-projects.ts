import type { Db, Prisma, Project } from '../../data/db.js';
import { literalPattern } from '../../data/sql/conditions.sql.js';
import { visibleIds } from '../../data/viewer.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';
import type { ProjectPermission } from './project-permissions.js';

export type ProjectCriteria = {
  ids?: readonly string[];
  idsOtherThan?: readonly string[];
  /** Literal text, matched case-insensitively in the ID, the name or the description. */
  text?: string;
  archived?: boolean;
  mode?: string;
  favorite?: boolean;
  /** Projects in which the actor has this permission. */
  viewerCan?: ProjectPermission;
};

/** The same rule as `actor.can`, as a condition. */
const isPermitted = (
  actor: Actor,
  permission: ProjectPermission | undefined,
): Prisma.ProjectWhereInput => {
  const ids = permission === undefined ? null : actor.projectsWith(permission);
  return ids === null ? {} : { id: { in: [...ids] } };
};

const matchingProjects = (
  actor: Actor,
  { ids, idsOtherThan, text, archived, mode, favorite, viewerCan }: ProjectCriteria,
): Prisma.ProjectWhereInput => {
  assertSearchText('The text of the project filter', text ?? '', MAX_NAME_TEXT_LENGTH);
  assertText('The project filter', ...(ids ?? []), ...(idsOtherThan ?? []));

  const ownRows = { userId: actor.userId };
  const contains = { contains: literalPattern(text ?? ''), mode: 'insensitive' as const };
  return {
    AND: [
      { id: visibleIds(actor) },
      isPermitted(actor, viewerCan),
      ids === undefined ? {} : { id: { in: [...ids] } },
      idsOtherThan === undefined ? {} : { id: { notIn: [...idsOtherThan] } },
      text === undefined
        ? {}
        : { OR: [{ id: contains }, { name: contains }, { description: contains }] },
      archived === undefined ? {} : { archivedAt: archived ? { not: null } : null },
      favorite === undefined ? {} : { favorites: favorite ? { some: ownRows } : { none: ownRows } },
      // A project without settings is open.
      mode === undefined
        ? {}
        : { OR: [{ settings: { mode } }, ...(mode === 'open' ? [{ settings: null }] : [])] },
    ],
  };
};

/** The page of matching projects next to a known ID, by ID. */
export const listProjects = async (
  db: Db,
  actor: Actor,
  { criteria, page }: { criteria: ProjectCriteria; page: KeysetPage<string> },
): Promise<Slice<Project>> => {
  assertText('The cursor', page.after ?? '', page.before ?? '');

  const rows = await db.project.findMany({
    where: {
      AND: [
        matchingProjects(actor, criteria),
        page.after === undefined ? {} : { id: { gt: page.after } },
        page.before === undefined ? {} : { id: { lt: page.before } },
      ],
    },
    orderBy: { id: page.backward ? 'desc' : 'asc' },
    take: page.limit + 1,
  });
  return sliceOf(rows, page);
};

/** Exact, or up to `upTo` if given. */
export const countProjects = (
  db: Db,
  actor: Actor,
  { criteria, upTo }: { criteria: ProjectCriteria; upTo?: number | undefined },
): Promise<number> =>
  db.project.count({
    where: matchingProjects(actor, criteria),
    ...(upTo !== undefined && { take: upTo }),
  });
