import type { FeatureAspect, FeatureEnvironmentAspect } from '../../generated/documents.js';
import { listText } from '../../ui/list-text.js';
import type { FeatureThen } from './as-of-facts.js';
import { type Names, pathsText } from './change-text.js';

const ASPECTS: Record<FeatureAspect, string> = {
  ARCHIVED: 'whether it was archived',
  DEPENDENCIES: 'its dependencies',
  DESCRIPTION: 'its description',
  IMPRESSION_DATA: 'whether impression data was collected',
  PROJECT: 'its project',
  STALE: 'whether it was stale',
  TAGS: 'its tags',
  TYPE: 'its type',
};

const IN_ENVIRONMENT: Record<FeatureEnvironmentAspect, string> = {
  IN_PROJECT: 'whether the project had this environment',
  SEGMENTS: 'the segments of its strategies',
  STATE: 'whether it was on',
  STRATEGIES: 'its strategies',
  STRATEGY_ORDER: 'the order of its strategies',
  VARIANTS: 'its variants',
};

/** A sentence about what the event log does not record; null if nothing is missing. */
export const unknownText = (aspects: readonly FeatureAspect[]): string | null =>
  aspects.length === 0
    ? null
    : `Not recorded in the event log: ${listText(aspects.map((aspect) => ASPECTS[aspect]))}.`;

export const unknownInEnvironment = (
  aspects: readonly FeatureEnvironmentAspect[],
): string | null =>
  aspects.length === 0
    ? null
    : `Not recorded: ${listText(aspects.map((aspect) => IN_ENVIRONMENT[aspect]))}.`;

export const existenceText = ({ existence, contradicted }: FeatureThen): string => {
  switch (existence) {
    case 'EXISTED':
      return 'The feature existed.';
    case 'NOT_YET_CREATED':
      return 'The feature did not exist yet.';
    case 'DELETED':
      return contradicted
        ? 'An earlier feature of this name had been deleted. No event that you may see shows when this one was created.'
        : 'An earlier feature of this name had been deleted.';
    case 'UNKNOWN':
      return 'Whether the feature existed cannot be determined: the event log does not record it.';
  }
};

export const notComparedText = (paths: readonly string[], names: Names): string =>
  `Not compared, because the event log does not record it: ${pathsText(paths, names).join('; ')}.`;
