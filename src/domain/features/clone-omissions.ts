import type { CloneAspect } from './clone-feature-input.js';
import type { CloneSource } from './clone-source.js';
import type { CloneSurroundings } from './clone-surroundings.js';

const REASONS = {
  TAGS: 'Tags stay with the source unless they are asked for: `include: [TAGS]`.',
  FAVORITE: "The copy is nobody's favorite unless that is asked for: `include: [FAVORITE]`.",
  ENABLED_STATE: 'A copy is off in every environment: turning it on is an act of its own.',
  CHILDREN: 'Features that depend on the source go on depending on the source.',
  RELEASE_PLAN_STRATEGIES: 'They belong to a release plan, and release plans are not copied.',
  STRATEGIES_OUT_OF_SIGHT: 'They are in environments that the source itself is not in.',
  LIFECYCLE: 'The service notes the stages of the copy anew, from the first one on.',
  LAST_SEEN: 'No application has used the copy yet.',
} as const;

export type OmittedAspect = keyof typeof REASONS;

export const OMITTED_ASPECTS = Object.keys(REASONS) as readonly OmittedAspect[];

export type CloneOmission = { aspect: OmittedAspect; count: number; reason: string };

/** What the source has and the copy would not get, with how much of it there is. */
export const omissionsOf = (
  { environments }: CloneSource,
  around: CloneSurroundings,
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
