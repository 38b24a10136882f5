import type { Feature } from '../../data/db.js';
import type { JsonObject } from '../json.js';
import { settingsOf } from '../projects/project-settings.js';
import type { CloneOrder } from './clone-feature-input.js';
import type { CloneFacts, CloneSource, SourceDependency } from './clone-source.js';
import type { FeatureMark } from './clone-surroundings.js';
import { copyStrategy, type StrategyCopy } from './copy-strategy.js';
import { sortVariantsByName } from './variant-rules.js';

/** What a clone writes. */
export type CloneDraft = {
  /** Whose metadata the copy gets. */
  source: Feature;
  name: string;
  targetProject: string;
  /** Variants of each environment the copy gets: those linked to the target project and those of the source. */
  variantsOf: ReadonlyMap<string, readonly JsonObject[]>;
  strategies: readonly StrategyCopy[];
  dependencies: readonly SourceDependency[];
  tags: readonly FeatureMark[];
  /** Whether the copy becomes a favorite of who clones. */
  isFavorite: boolean;
};

/** All that is to be written for a source that has passed the guards; the nearest to it for one that has not. */
export const draftClone = (
  source: CloneSource,
  { target, settings, surroundings }: CloneFacts,
  { name, targetProject, replaceGroupId = true, include = [] }: CloneOrder,
): CloneDraft => {
  const { defaultStickiness } = settingsOf(settings);
  const options = { newName: name, replaceGroupId, defaultStickiness };
  return {
    source: source.feature,
    name,
    targetProject,
    variantsOf: new Map<string, readonly JsonObject[]>([
      ...(target?.environments ?? []).map((environment) => [environment, []] as const),
      ...source.environments.map(
        ({ environmentName, variants }) => [environmentName, sortVariantsByName(variants)] as const,
      ),
    ]),
    strategies: source.strategies.map((strategy) => copyStrategy(strategy, options)),
    dependencies: source.dependencies,
    tags: include.includes('TAGS') ? (surroundings?.tags ?? []) : [],
    isFavorite: include.includes('FAVORITE') && surroundings?.isFavorite === true,
  };
};
