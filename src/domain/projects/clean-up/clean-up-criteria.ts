import { condition } from '../../../data/conditions.js';
import { Prisma } from '../../../data/db.js';
import type { Actor } from '../../actor.js';
import { type FeatureCriteria, matchingFeatures } from '../../features/list-features.js';
import { type CleanUpKind, weightOf } from './clean-up-kinds.js';

export type CleanUpCriteria = Pick<
  FeatureCriteria,
  'projects' | 'projectsOtherThan' | 'types' | 'typesOtherThan'
> & {
  /** At least one of these reasons applies. */
  kinds?: readonly CleanUpKind[];
};

/** The features (aliased `t`) that are looked at. */
const matching = (actor: Actor, { kinds: _judgedLater, ...criteria }: CleanUpCriteria) =>
  matchingFeatures(actor, { ...criteria, archived: false });

export const inProjects = (actor: Actor, criteria: CleanUpCriteria, ids: readonly string[]) =>
  Prisma.sql`${matching(actor, criteria)} and t.project = any(${ids}::text[])`;

/** An archived project is done with as a whole. Features whose project is gone are looked at: no project lists them. */
export const inLivingProjects = (actor: Actor, criteria: CleanUpCriteria) =>
  Prisma.sql`${matching(actor, criteria)} and not exists (
    select from projects closed where closed.id = t.project and closed.archived_at is not null)`;

/** Which of the judged features are shown. */
export const wantedKinds = ({ kinds }: CleanUpCriteria): Prisma.Sql =>
  Prisma.join(
    [
      Prisma.sql`weight > 0`,
      ...condition(kinds, (wanted) => Prisma.sql`weight & ${weightOf(wanted)}::int <> 0`),
    ],
    ' and ',
  );
