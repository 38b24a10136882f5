import type { Db } from '../../data/db.js';
import {
  countMatchingProjects,
  type ListedProject,
  type ProjectCriteria,
  type ProjectOrder,
  type ProjectPageQuery,
  readProjectPage,
} from '../../data/projects/list-projects.sql.js';
import type { Actor } from '../actor.js';
import { type Slice, sliceOf } from '../paging.js';
import { assertPattern, assertSearchText, assertText, MAX_NAME_TEXT_LENGTH } from '../text.js';

export type { ListedProject, ProjectCriteria, ProjectOrder };

const assertCriteria = ({ ids, idsOtherThan, patterns, text }: ProjectCriteria): void => {
  assertSearchText('The text of the project filter', text ?? '', MAX_NAME_TEXT_LENGTH);
  assertText('The project filter', ...(ids ?? []), ...(idsOtherThan ?? []));
  assertPattern('A text of the project filter', patterns?.ids ?? {});
};

/** The page of matching projects next to a position of their order. */
export const listProjects = async (
  db: Db,
  actor: Actor,
  query: ProjectPageQuery,
): Promise<Slice<ListedProject>> => {
  const { criteria, page } = query;
  assertCriteria(criteria);
  assertText('The cursor', ...[...(page.after ?? []), ...(page.before ?? [])].map(String));

  return sliceOf(await readProjectPage(db, actor, query), page);
};

/** Exact, or up to `upTo` if given. */
export const countProjects = async (
  db: Db,
  actor: Actor,
  query: { criteria: ProjectCriteria; upTo?: number | undefined },
): Promise<number> => {
  assertCriteria(query.criteria);

  return countMatchingProjects(db, actor, query);
};
