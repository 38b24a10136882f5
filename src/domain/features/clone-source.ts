import type { Db, Feature, FeatureEnvironment } from '../../data/db.js';
import { NotFoundError } from '../errors.js';
import { asStrings } from '../json.js';
import { ownStrategies } from './feature-parts.js';
import type { SourceStrategy } from './strategy-rules.js';

export type SourceDependency = {
  parentName: string;
  enabled: boolean;
  variants: readonly string[];
  parent: { projectId: string | null; archived: boolean } | null;
  parentHasParents: boolean;
};

export type CloneSource = {
  feature: Feature;
  environments: readonly FeatureEnvironment[];
  strategies: readonly SourceStrategy[];
  dependencies: readonly SourceDependency[];
};

const findStrategies = async (tx: Db, featureName: string): Promise<SourceStrategy[]> => {
  const strategies = await tx.strategy.findMany({
    where: { featureName },
    include: { segments: { include: { segment: true }, orderBy: { segmentId: 'asc' } } },
    orderBy: [
      { environment: { sortOrder: 'asc' } },
      { environmentName: 'asc' },
      { sortOrder: 'asc' },
      { createdAt: 'asc' },
    ],
  });
  return ownStrategies(strategies).map((strategy) => ({
    ...strategy,
    segments: strategy.segments.map(({ segment }) => segment),
  }));
};

const findDependencies = async (tx: Db, childName: string): Promise<SourceDependency[]> => {
  const dependencies = await tx.dependency.findMany({
    where: { childName },
    include: { parent: { include: { parents: { select: { parentName: true } } } } },
    orderBy: { parentName: 'asc' },
  });
  return dependencies.map(({ parentName, enabled, variants, parent }) => ({
    parentName,
    enabled,
    variants: asStrings(variants),
    parent: { projectId: parent.projectId, archived: parent.archivedAt !== null },
    parentHasParents: parent.parents.length > 0,
  }));
};

/** The feature to copy, with all that is copied along; an archived feature is no source. */
export const findCloneSource = async (tx: Db, name: string): Promise<CloneSource> => {
  const feature = await tx.feature.findUnique({ where: { name } });
  if (!feature) throw NotFoundError.of('Feature', name);
  if (feature.archivedAt !== null) {
    throw new NotFoundError(`Feature '${name}' is archived. Revive it first.`, 'Feature', name);
  }

  const environments = await tx.featureEnvironment.findMany({ where: { featureName: name } });
  const strategies = await findStrategies(tx, name);
  const present = new Set(environments.map(({ environmentName }) => environmentName));
  return {
    feature,
    environments,
    // A strategy in an environment the feature has no row for is nowhere to be seen.
    strategies: strategies.filter(({ environmentName }) => present.has(environmentName)),
    dependencies: await findDependencies(tx, name),
  };
};
