import type { Feature } from '../../data/db.js';
import type { TagRow } from '../../data/features/clone-related-data.sql.js';
import type { JsonObject } from '../json.js';
import { settingsOf } from '../projects/project-settings.js';
import type { CloneOrder } from './clone-feature-input.js';
import type { CloneRules } from './clone-limits.js';
import type { CloneFacts, CloneSource, SourceDependency } from './clone-source.js';
import { copyStrategy, type StrategyCopy } from './copy-strategy.js';
import { type FeatureLink, linkFrom } from './feature-links.js';
import { sortVariantsByName } from './variant-rules.js';

/** Everything that a clone writes. */
export type CloneDraft = {
  /** Source of the clone's metadata. */
  source: Feature;
  name: string;
  targetProject: string;
  /** Variants by environment: those linked to the target project and those of the source. */
  variantsOf: ReadonlyMap<string, readonly JsonObject[]>;
  strategies: readonly StrategyCopy[];
  dependencies: readonly SourceDependency[];
  /** Created from the link templates of the target project. */
  links: readonly FeatureLink[];
  tags: readonly TagRow[];
  /** Whether the events record that they were written together. */
  isGrouped: boolean;
  /** Whether the clone becomes a favorite of the caller. */
  isFavorite: boolean;
};

/** Exact for a source that passed the guards; an approximation for one that did not. */
export const draftClone = (
  source: CloneSource,
  { target, settings, linkTemplates, hasEventGroups, related }: CloneFacts,
  { name, targetProject, replaceGroupId = true, include = [] }: CloneOrder,
  { unleash: { major } }: CloneRules,
): CloneDraft => {
  const { defaultStickiness } = settingsOf(settings);
  const options = { newName: name, replaceGroupId, defaultStickiness, major };
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
    links: linkTemplates.flatMap((template) => linkFrom(template, { name, targetProject }) ?? []),
    isGrouped: hasEventGroups,
    tags: include.includes('TAGS') ? (related?.tags ?? []) : [],
    isFavorite: include.includes('FAVORITE') && related?.isFavorite === true,
  };
};
