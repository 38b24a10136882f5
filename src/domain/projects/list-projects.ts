import type { Db } from '../../data/db.js';
import {
  countMatchingProjects,
  type ListedProject,
  type ProjectOrder,
  type ProjectPageQuery,
  readProjectPage,
  type ProjectCriteria as StoredCriteria,
} from '../../data/projects/list-projects.sql.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertPattern, assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';
import type { ProjectPermission } from './project-permissions.js';

export type { ListedProject, ProjectOrder };

export type ProjectCriteria = Omit<StoredCriteria, 'permitted'> & {
  /** Projects in which the actor has this permission. */
  viewerCan?: ProjectPermission;
};

/** Replaces a permission by the projects in which the actor has it: the same rule as `actor.can`. */
const toStored = (actor: Actor, { viewerCan, ...criteria }: ProjectCriteria): StoredCriteria => {
  const { ids, idsOtherThan, patterns, text } = criteria;
  assertSearchText('The text of the project filter', text ?? '', MAX_NAME_TEXT_LENGTH);
  assertText('The project filter', ...(ids ?? []), ...(idsOtherThan ?? []));
  assertPattern('A text of the project filter', patterns?.ids ?? {});

  const permitted = viewerCan === undefined ? null : actor.projectsWith(viewerCan);
  return permitted === null ? criteria : { ...criteria, permitted: [...permitted] };
};

/** The page of matching projects next to a position of their order. */
export const listProjects = async (
  db: Db,
  actor: Actor,
  { criteria, ...query }: Omit<ProjectPageQuery, 'criteria'> & { criteria: ProjectCriteria },
): Promise<Slice<ListedProject>> => {
  const { page } = query;
  assertText('The cursor', ...[...(page.after ?? []), ...(page.before ?? [])].map(String));

  const stored = toStored(actor, criteria);
  return sliceOf(await readProjectPage(db, actor, { ...query, criteria: stored }), page);
};

/** Exact, or up to `upTo` if given. */
export const countProjects = async (
  db: Db,
  actor: Actor,
  { criteria, upTo }: { criteria: ProjectCriteria; upTo?: number | undefined },
): Promise<number> =>
  countMatchingProjects(db, actor, { criteria: toStored(actor, criteria), upTo });
