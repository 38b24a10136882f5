import type { Db } from '../../data/db.js';
import { assertText } from '../text.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { findFeature } from './list-features.js';

/** The project a clone should go to; null where none is named and the source has none. */
export const findTargetProject = async (
  db: Db,
  { source, targetProject }: CloneFeatureInput,
): Promise<string | null> => {
  assertText('The name of the feature to copy', source);
  assertText('The target project', targetProject ?? '');

  if (targetProject !== undefined) return targetProject;
  return (await findFeature(db, source))?.projectId ?? null;
};
