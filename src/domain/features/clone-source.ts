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

/** The feature to copy, with all that is copied along; an archived feature is no source. */
export const findCloneSource = async (tx: Db, name: string): Promise<CloneSource> => {
  const found = await tx.feature.findUnique({
    where: { name },
    include: {
      environments: true,
      strategies: {
        include: { segments: { include: { segment: true }, orderBy: { segmentId: 'asc' } } },
        orderBy: [
          { environment: { sortOrder: 'asc' } },
          { environmentName: 'asc' },
          { sortOrder: 'asc' },
          { createdAt: 'asc' },
        ],
      },
      parents: {
        include: { parent: { include: { parents: { select: { parentName: true } } } } },
        orderBy: { parentName: 'asc' },
        take: 1,
      },
    },
  });
  if (!found || found.archivedAt !== null) throw NotFoundError.of('Feature', name);

  const { environments, strategies, parents, ...feature } = found;
  const present = new Set(environments.map(({ environmentName }) => environmentName));
  return {
    feature,
    environments,
    strategies: ownStrategies(strategies)
      .filter(({ environmentName }) => present.has(environmentName))
      .map((strategy) => ({ ...strategy, segments: strategy.segments.map((row) => row.segment) })),
    dependencies: parents.map(({ parentName, enabled, variants, parent }) => ({
      parentName,
      enabled,
      variants: asStrings(variants),
      parent: { projectId: parent.projectId, archived: parent.archivedAt !== null },
      parentHasParents: parent.parents.length > 0,
    })),
  };
};
