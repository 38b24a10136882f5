/** What a clone leaves behind unless it is asked for. */
export const CLONE_ASPECTS = ['TAGS', 'FAVORITE'] as const;

export type CloneAspect = (typeof CLONE_ASPECTS)[number];

export type CloneFeatureInput = {
  /** Name of the feature to copy. */
  source: string;
  /** Name of the copy. */
  name: string;
  /** Project that receives the copy; the source's own when left out. */
  targetProject?: string;
  /** Whether the new name becomes the group id of the copied strategies. Default true. */
  replaceGroupId?: boolean;
  /** What is copied besides. Default nothing. */
  include?: readonly CloneAspect[];
};

/** A clone of which it is known where it should go. */
export type CloneOrder = CloneFeatureInput & { targetProject: string };
