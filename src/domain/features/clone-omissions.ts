import type { CloneAspect } from './clone-feature-input.js';
import type { CloneRelatedData, CloneSource } from './clone-source.js';

const REASONS = {
  TAGS: 'Tags are copied only on request: `include: [TAGS]`.',
  FAVORITE: 'Your favorite mark is copied only on request: `include: [FAVORITE]`.',
  ENABLED_STATE: 'A copy is disabled in every environment. Enable it separately.',
  CHILDREN: 'Features that depend on the source keep depending on the source.',
  RELEASE_PLAN_STRATEGIES: 'They belong to a release plan, and release plans are not copied.',
  STRATEGIES_OUT_OF_SIGHT: 'They are in environments that the source itself is not in.',
  LIFECYCLE: 'Unleash records the lifecycle of the copy from its first stage.',
  LAST_SEEN: 'No application has used the copy yet.',
} as const;

export type OmittedAspect = keyof typeof REASONS;

export const OMITTED_ASPECTS = Object.keys(REASONS) as readonly OmittedAspect[];

export type CloneOmission = { aspect: OmittedAspect; count: number; reason: string };

/** Parts of the source that the clone would not get, with their counts. */
export const omissionsOf = (
  { environments }: CloneSource,
  around: CloneRelatedData,
  include: readonly CloneAspect[],
): CloneOmission[] => {
  const counts: Record<OmittedAspect, number> = {
    TAGS: include.includes('TAGS') ? 0 : around.tags.length,
    FAVORITE: around.isFavorite && !include.includes('FAVORITE') ? 1 : 0,
    ENABLED_STATE: environments.filter(({ enabled }) => enabled).length,
    CHILDREN: around.children,
    RELEASE_PLAN_STRATEGIES: around.planned,
    STRATEGIES_OUT_OF_SIGHT: around.outOfSight,
    LIFECYCLE: around.stages,
    LAST_SEEN: around.seenIn,
  };
  return OMITTED_ASPECTS.filter((aspect) => counts[aspect] > 0).map((aspect) => ({
    aspect,
    count: counts[aspect],
    reason: REASONS[aspect],
  }));
};
