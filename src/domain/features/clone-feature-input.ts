import { BadArgumentError, ExceedsLimitError } from '../errors.js';

/** Parts that a clone omits unless requested. */
export const CLONE_ASPECTS = ['TAGS', 'FAVORITE'] as const;

export type CloneAspect = (typeof CLONE_ASPECTS)[number];

export type CloneFeatureInput = {
  /** Name of the feature to clone. */
  source: string;
  /** Name of the clone. */
  name: string;
  /** Project of the clone. Default: the project of the source. */
  targetProject?: string;
  /** Whether the new name replaces the group ID of the cloned strategies. Default: true. */
  replaceGroupId?: boolean;
  /** Additional parts to clone. Default: none. */
  include?: readonly CloneAspect[];
  /** Identifies a retry, which then returns the clone of the first attempt. */
  idempotencyKey?: string;
};

/** A clone with a known target project. */
export type CloneOrder = CloneFeatureInput & { targetProject: string };

/** Maximum number of clones in one list. */
export const MAX_CLONES = 50;

export const assertCloneCount = (count: number): void => {
  if (count >= 1 && count <= MAX_CLONES) return;
  const message = `'inputs' must have 1 to ${MAX_CLONES} items (got ${count}).`;
  // A list that a user has chosen is refused; without any, there is nothing to refuse.
  throw count > MAX_CLONES
    ? new ExceedsLimitError(message, MAX_CLONES)
    : new BadArgumentError(message);
};
