import type { Feature, PrismaClient } from '../../data/db.js';
import type { Actor } from '../actor.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { type CloneContext, cloneFeatures } from './clone-features.js';

/** Clones one feature; throws the reason if it is refused. */
export const cloneFeature = async (
  db: PrismaClient,
  actor: Actor,
  input: CloneFeatureInput,
  context: CloneContext,
): Promise<Feature> => {
  const [outcome] = await cloneFeatures(db, actor, [input], context);
  if (outcome?.kind === 'copied') return outcome.copy;
  throw outcome?.kind === 'refused' ? outcome.error : new Error('A single clone has no outcome.');
};
