import type { Db, Environment, Feature, FeatureEnvironment, LastSeen, Sql } from '../../data/db.js';
import {
  type FeatureLists,
  parseFeatures,
  parseOtherLists,
  readFeatureLists,
  type StrategyRow,
} from '../../data/features/feature-rows.sql.js';
import { withEnvironments } from '../../data/features/with-environments.js';
import { groupInSlices, indexBy } from '../../data/grouping.js';
import type { ListCollaborators } from '../../data/loaders.js';
import { readUsers, type ShownUser } from '../../data/users.js';
import type { Viewer } from '../../data/viewer.js';
import { mapInSlices } from '../../data/work/time-slicer.js';
import { asArray, asObjects, asStrings } from '../json.js';
import { type Person, peopleAmong, personOf } from '../users/person.js';
import {
  inEnvironmentOrder,
  lastSeenAnywhere,
  lastSeenIn,
  ownStrategies,
} from './feature-parts.js';
import { currentStage } from './lifecycle.js';

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

/** A feature as in section 2.6 of the API document, with keys in Unleash's order. */
export type FeatureRecord = {
  type: string | null;
  description: string | null;
  name: string;
  createdAt: Date | null;
  stale: boolean | null;
  impressionData: boolean | null;
  lastSeenAt: Date | null;
  environments: FeatureEnvironmentRecord[];
  /** Omitted if there are none. */
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

const environmentRecord = (
  {
    environment,
    enabled,
    featureName,
    variants,
  }: FeatureEnvironment & { environment: Environment },
  strategies: readonly StrategyRow[],
  seen: readonly LastSeen[],
): FeatureEnvironmentRecord => {
  const here = strategies.filter((strategy) => strategy.environmentName === environment.name);
  return {
    name: environment.name,
    enabled,
    type: environment.type,
    sortOrder: environment.sortOrder,
    variantCount: asArray(variants).length,
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
    variants: asObjects(variants),
  };
};

/** The API document's deprecated feature-level variants: those of the first environment that has any. */
export const featureVariants = <Variant>(
  environments: readonly { variants: readonly Variant[] }[],
): readonly Variant[] => environments.find(({ variants }) => variants.length > 0)?.variants ?? [];

/** Features whose records are built without a pause, so that the loads that follow share their batches. */
const AT_ONCE = 100;

type Collaborators = Awaited<ReturnType<ListCollaborators>>;

/** Everything that records are built from: equal content produces equal records. */
export type FeatureContent = {
  lists: FeatureLists;
  features: readonly Feature[];
  collaborators: Collaborators;
  users: readonly ShownUser[];
};

/** Features by name. The number of statements does not depend on the number of features. */
export const readFeatureContent = async (
  db: Db,
  viewer: Viewer,
  listCollaborators: ListCollaborators,
  where: Sql,
): Promise<FeatureContent> => {
  const lists = await readFeatureLists(db, viewer, where);
  const features = await parseFeatures(lists);
  const collaborators = await listCollaborators(features.map(({ name }) => name));
  const userIds = new Set([
    ...features.flatMap(({ createdByUserId }) => createdByUserId ?? []),
    ...collaborators.map((collaborator) => collaborator.userId),
  ]);
  const users = await readUsers(db, [...userIds]);
  return { lists, features, collaborators, users };
};

export const buildFeatureRecords = async ({
  lists,
  features,
  collaborators,
  users: shown,
}: FeatureContent): Promise<FeatureRecord[]> => {
  const rows = await parseOtherLists(lists);
  const users = indexBy(shown, ({ id }) => id);
  const environmentsOf = await groupInSlices(
    withEnvironments(rows.environments, rows.knownEnvironments),
    ({ featureName }) => featureName,
  );
  const strategiesOf = await groupInSlices(rows.strategies, ({ featureName }) => featureName);
  const seenOf = await groupInSlices(rows.seen, ({ featureName }) => featureName);
  const tagsOf = await groupInSlices(rows.tags, ({ featureName }) => featureName);
  const favorites = new Set(rows.favorites.map(({ name }) => name));
  const childrenOf = await groupInSlices(rows.children, ({ parentName }) => parentName);
  const parentsOf = await groupInSlices(rows.parents, ({ childName }) => childName);
  const stagesOf = await groupInSlices(rows.stages, ({ featureName }) => featureName);
  const authorsOf = await groupInSlices(collaborators, ({ featureName }) => featureName);

  const recordOf = (feature: Feature): FeatureRecord => {
    const { name } = feature;
    const own = environmentsOf.get(name) ?? [];
    const seen = seenOf.get(name) ?? [];
    const tags = tagsOf.get(name) ?? [];
    const author =
      feature.createdByUserId === null ? undefined : users.get(feature.createdByUserId);
    const stage = currentStage(stagesOf.get(name) ?? []);
    const environments = inEnvironmentOrder(own).map((row) =>
      environmentRecord(row, strategiesOf.get(name) ?? [], seen),
    );
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
      favorite: favorites.has(name),
      createdBy: author ? personOf(author) : null,
      variants: featureVariants(environments),
      children: (childrenOf.get(name) ?? []).map(({ childName }) => childName),
      dependencies: (parentsOf.get(name) ?? []).map((parent) => ({
        feature: parent.parentName,
        enabled: parent.enabled,
        variants: asStrings(parent.variants),
      })),
      lifecycle: stage && { stage: stage.stage, enteredStageAt: stage.createdAt },
      collaborators: {
        users: peopleAmong((authorsOf.get(name) ?? []).map(({ userId: id }) => users.get(id))),
      },
    };
  };
  return mapInSlices(features, recordOf, AT_ONCE);
};
