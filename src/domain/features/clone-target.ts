import type { Db } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { assertText, isStorable } from '../text.js';
import type { CloneFeatureInput } from './clone-feature-input.js';
import { findFeatures } from './list-features.js';

/** No feature or project can have such a name. */
export const assertStorableNames = ({ source, targetProject = '' }: CloneFeatureInput): void => {
  assertText('The name of the feature to copy', source);
  assertText('The target project', targetProject);
};

/** Target projects of clones, in the same order. Null if none is given and the source has no project. */
export const findTargetProjects = async (
  db: Db,
  actor: Actor,
  inputs: readonly CloneFeatureInput[],
): Promise<(string | null)[]> => {
  const unresolved = inputs.filter(
    ({ source, targetProject }) => targetProject === undefined && isStorable(source),
  );
  const features =
    unresolved.length === 0
      ? []
      : await findFeatures(
          db,
          actor,
          unresolved.map(({ source }) => source),
        );
  const projectOf = new Map(features.map(({ name, projectId }) => [name, projectId]));
  return inputs.map(({ source, targetProject }) => targetProject ?? projectOf.get(source) ?? null);
};
