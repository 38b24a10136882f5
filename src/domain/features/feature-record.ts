import type { Feature } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import { asArray, asObjects, asStrings } from '../json.js';
import {
  collaboratorsOf,
  currentStage,
  inEnvironmentOrder,
  lastSeenAnywhere,
  lastSeenIn,
  ownStrategies,
  type Person,
  personOf,
} from './feature-parts.js';

export type StrategyRecord = {
  id: string;
  name: string;
  title: string | null;
  disabled: boolean;
  featureName: string;
  sortOrder: number;
  segments: number[];
  constraints: readonly unknown[];
  variants: readonly unknown[];
  parameters: unknown;
};

export type FeatureEnvironmentRecord = {
  name: string;
  enabled: boolean;
  type: string;
  sortOrder: number | null;
  variantCount: number;
  lastSeenAt: Date | null;
  hasStrategies: boolean;
  hasEnabledStrategies: boolean;
  environment: string;
  featureName: string;
  strategies: StrategyRecord[];
  variants: readonly unknown[];
};

/** A feature with everything the API document's 2.6 tells of it, in the original's order of keys. */
export type FeatureRecord = {
  type: string | null;
  description: string | null;
  name: string;
  createdAt: Date | null;
  stale: boolean | null;
  impressionData: boolean | null;
  lastSeenAt: Date | null;
  environments: FeatureEnvironmentRecord[];
  /** Left out when there are none. */
  tags?: { value: string; type: string }[];
  archived: boolean;
  archivedAt: Date | null;
  project: string | null;
  enabled: boolean;
  favorite: boolean;
  createdBy: Person | null;
  variants: readonly unknown[];
  children: string[];
  dependencies: { feature: string; enabled: boolean; variants: readonly string[] }[];
  lifecycle: { stage: string; enteredStageAt: Date | null } | null;
  collaborators: { users: Person[] };
};

const environmentRecords = async (
  loaders: Loaders,
  featureName: string,
): Promise<FeatureEnvironmentRecord[]> => {
  const [environments, strategies, seen] = await Promise.all([
    loaders.environmentsOfFeature.load(featureName),
    loaders.strategiesOfFeature.load(featureName),
    loaders.lastSeenOfFeature.load(featureName),
  ]);
  return inEnvironmentOrder(environments).map(({ environment, enabled, ...row }) => {
    const here = strategies.filter((strategy) => strategy.environmentName === environment.name);
    return {
      name: environment.name,
      enabled,
      type: environment.type,
      sortOrder: environment.sortOrder,
      variantCount: asArray(row.variants).length,
      lastSeenAt: lastSeenIn(seen, environment.name),
      hasStrategies: here.length > 0,
      hasEnabledStrategies: here.some((strategy) => !strategy.disabled),
      environment: environment.name,
      featureName,
      strategies: ownStrategies(here).map((strategy) => ({
        id: strategy.id,
        name: strategy.name,
        title: strategy.title,
        disabled: strategy.disabled ?? false,
        featureName,
        sortOrder: strategy.sortOrder,
        segments: strategy.segmentIds,
        constraints: asObjects(strategy.constraints),
        variants: asObjects(strategy.variants),
        parameters: strategy.parameters,
      })),
      variants: asObjects(row.variants),
    };
  });
};

/** The document's deprecated feature-level variants: those of the first environment that has any. */
export const featureVariants = <Variant>(
  environments: readonly { variants: readonly Variant[] }[],
): readonly Variant[] => environments.find(({ variants }) => variants.length > 0)?.variants ?? [];

/** Fills in what the database holds about a feature; many at once share their statements through the loaders. */
export const buildFeatureRecord = async (
  loaders: Loaders,
  feature: Feature,
): Promise<FeatureRecord> => {
  const { name } = feature;
  const [own, environments, seen, tags, favorite, author, children, parents, stages, users] =
    await Promise.all([
      loaders.environmentsOfFeature.load(name),
      environmentRecords(loaders, name),
      loaders.lastSeenOfFeature.load(name),
      loaders.tagsOfFeature.load(name),
      loaders.favoriteFeature.load(name),
      feature.createdByUserId === null ? null : loaders.user.load(feature.createdByUserId),
      loaders.childrenOfFeature.load(name),
      loaders.dependenciesOfFeature.load(name),
      loaders.lifecycleOfFeature.load(name),
      collaboratorsOf(loaders, name),
    ]);
  const stage = currentStage(stages);
  return {
    type: feature.type,
    description: feature.description,
    name,
    createdAt: feature.createdAt,
    stale: feature.stale,
    impressionData: feature.impressionData,
    lastSeenAt: lastSeenAnywhere(feature, seen, own),
    environments,
    ...(tags.length > 0 && { tags: tags.map(({ value, type }) => ({ value, type })) }),
    archived: feature.archivedAt !== null,
    archivedAt: feature.archivedAt,
    project: feature.projectId,
    enabled: environments.some((environment) => environment.enabled),
    favorite: favorite !== null,
    createdBy: author && personOf(author),
    variants: featureVariants(environments),
    children: children.map(({ childName }) => childName),
    dependencies: parents.map((parent) => ({
      feature: parent.parentName,
      enabled: parent.enabled,
      variants: asStrings(parent.variants),
    })),
    lifecycle: stage && { stage: stage.stage, enteredStageAt: stage.createdAt },
    collaborators: { users },
  };
};
