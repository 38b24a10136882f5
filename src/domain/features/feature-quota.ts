import type { ActiveCounts } from '../../data/features/feature-quota.sql.js';
import { InstanceFullError, ProjectFullError } from '../errors.js';
import type { CloneLimits } from './clone-limits.js';

/** Room for one more feature. */
export type FeatureQuota = {
  targetProject: string;
  /** Feature limit of the target project; null if it has none. */
  featureLimit: number | null;
  active: ActiveCounts;
};

const assertProjectQuota = ({ active, targetProject, featureLimit }: FeatureQuota) => {
  if (featureLimit !== null && active.inTarget > 0 && active.inTarget >= featureLimit) {
    throw new ProjectFullError(
      `Project '${targetProject}' has reached its limit of ${featureLimit} features. Archive one or raise the limit.`,
      featureLimit,
      targetProject,
    );
  }
};

const assertInstanceQuota = ({ active }: FeatureQuota, limit: number) => {
  if (active.everywhere >= limit) {
    throw new InstanceFullError(
      `The Unleash instance has reached its limit of ${limit} features.`,
      limit,
    );
  }
};

/** Checks the feature limit of the project, then that of the instance. */
export function* quotaGuards(quota: FeatureQuota, limits: CloneLimits): Generator<() => void> {
  yield () => assertProjectQuota(quota);
  yield () => assertInstanceQuota(quota, limits.features);
}

/** Further from the limit, clones need not wait for each other. Larger for clones that are written together. */
const CLOSE_TO_LIMIT = 100;

/** Quotas that a concurrent clone could use up between the check and the write. In a fixed order, to avoid deadlocks. */
export const contestedQuotas = (quotas: readonly FeatureQuota[], limits: CloneLimits): string[] => {
  const limited = quotas.filter(({ featureLimit }) => featureLimit !== null);
  const projects = limited.map(({ targetProject }) => `project ${targetProject}`);
  const active = Math.max(...quotas.map(({ active: { everywhere } }) => everywhere));
  const isClose = active >= limits.features - CLOSE_TO_LIMIT * quotas.length;
  return [...new Set(projects.sort()), ...(isClose ? ['installation'] : [])];
};
