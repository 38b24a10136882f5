export type CloneFeatureInput = {
  /** Name of the feature to copy. */
  source: string;
  /** Name of the copy. */
  name: string;
  /** Project that receives the copy; the source's own when left out. */
  targetProject?: string;
  /** Whether the new name becomes the group id of the copied strategies. Default true. */
  replaceGroupId?: boolean;
};
