import type { Environment, Feature, FeatureEnvironment, LastSeen } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import { type Person, peopleAmong } from '../users/person.js';

/** A feature's own strategies; those of a release plan belong to the plan. */
export const ownStrategies = <S extends { milestoneId: string | null }>(strategies: readonly S[]) =>
  strategies.filter((strategy) => strategy.milestoneId === null);

type WithEnvironment = FeatureEnvironment & { environment: Environment };

/** By sort order, then by name. */
export const inEnvironmentOrder = (environments: readonly WithEnvironment[]): WithEnvironment[] =>
  environments.toSorted(
    (a, b) =>
      (a.environment.sortOrder ?? 0) - (b.environment.sortOrder ?? 0) ||
      a.environmentName.localeCompare(b.environmentName),
  );

export const lastSeenIn = (seen: readonly LastSeen[], environment: string): Date | null =>
  seen.find((row) => row.environmentName === environment)?.lastSeenAt ?? null;

/** When the feature was last seen in any of its environments. */
export const lastSeenAnywhere = (
  feature: Pick<Feature, 'lastSeenAt'>,
  seen: readonly LastSeen[],
  environments: readonly { environmentName: string }[],
): Date | null => {
  const own = new Set(environments.map(({ environmentName }) => environmentName));
  const times = seen.filter((row) => own.has(row.environmentName)).map((row) => row.lastSeenAt);
  return [...times, ...(feature.lastSeenAt ? [feature.lastSeenAt] : [])].reduce<Date | null>(
    (latest, time) => (latest === null || time > latest ? time : latest),
    null,
  );
};

/** Users who changed the feature, latest first. */
export const collaboratorsOf = async (loaders: Loaders, featureName: string): Promise<Person[]> => {
  const collaborators = await loaders.collaboratorsOfFeature.load(featureName);
  return peopleAmong(collaborators.map(({ user }) => user));
};
