import { condition } from '../../../data/conditions.js';
import { Prisma } from '../../../data/db.js';
import type { Actor } from '../../actor.js';
import { type FeatureCriteria, matchingFeatures } from '../../features/list-features.js';
import { type CleanUpKind, weightOf } from './clean-up-kinds.js';

export type CleanUpCriteria = Pick<
  FeatureCriteria,
  'projects' | 'projectsOtherThan' | 'types' | 'typesOtherThan'
> & {
  /** At least one of these reasons must apply. */
  kinds?: readonly CleanUpKind[];
};

/** Condition on the features (alias `t`) that are evaluated. */
const matching = (actor: Actor, { kinds: _checkedLater, ...criteria }: CleanUpCriteria) =>
  matchingFeatures(actor, { ...criteria, archived: false });

export const inProjects = (actor: Actor, criteria: CleanUpCriteria, ids: readonly string[]) =>
  Prisma.sql`${matching(actor, criteria)} and t.project = any(${ids}::text[])`;

/** Skips archived projects. Includes features whose project no longer exists, because no project lists them. */
export const inActiveProjects = (actor: Actor, criteria: CleanUpCriteria) =>
  Prisma.sql`${matching(actor, criteria)} and not exists (
    select from projects closed where closed.id = t.project and closed.archived_at is not null)`;

/** Condition on the evaluated features that are returned. */
export const wantedKinds = ({ kinds }: CleanUpCriteria): Prisma.Sql =>
  Prisma.join(
    [
      Prisma.sql`weight > 0`,
      ...condition(kinds, (selected) => Prisma.sql`weight & ${weightOf(selected)}::int <> 0`),
    ],
    ' and ',
  );
