import type { Db } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { assertText } from '../text.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { findFeature } from './list-features.js';

/** Null if no target is given and the source has no project. */
export const findTargetProject = async (
  db: Db,
  actor: Actor,
  { source, targetProject }: CloneFeatureInput,
): Promise<string | null> => {
  assertText('The name of the feature to copy', source);
  assertText('The target project', targetProject ?? '');

  if (targetProject !== undefined) return targetProject;
  return (await findFeature(db, actor, source))?.projectId ?? null;
};
