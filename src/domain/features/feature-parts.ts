import { createHash } from 'node:crypto';
import type { Environment, Feature, FeatureEnvironment, LastSeen, User } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';

/** The strategies of a feature that are its own; those of a release plan belong to the plan. */
export const ownStrategies = <S extends { milestoneId: string | null }>(strategies: readonly S[]) =>
  strategies.filter((strategy) => strategy.milestoneId === null);

type WithEnvironment = FeatureEnvironment & { environment: Environment };

/** By the environments' own order, names deciding between equals. */
export const inEnvironmentOrder = (environments: readonly WithEnvironment[]): WithEnvironment[] =>
  environments.toSorted(
    (a, b) =>
      (a.environment.sortOrder ?? 0) - (b.environment.sortOrder ?? 0) ||
      a.environmentName.localeCompare(b.environmentName),
  );

export const lastSeenIn = (seen: readonly LastSeen[], environment: string): Date | null =>
  seen.find((row) => row.environmentName === environment)?.lastSeenAt ?? null;

/** The latest sign of life of a feature in any environment it has. */
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

/** In the order in which a feature goes through them. */
export const STAGES: readonly string[] = ['initial', 'pre-live', 'live', 'completed', 'archived'];

/** The stage a feature is in: the one entered last. */
export const currentStage = <S extends { stage: string; createdAt: Date | null }>(
  stages: readonly S[],
): S | null =>
  stages.toSorted(
    (a, b) =>
      (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0) ||
      STAGES.indexOf(b.stage) - STAGES.indexOf(a.stage),
  )[0] ?? null;

export type Person = { id: number; name: string; imageUrl: string };

const people = new WeakMap<User, Person>();

/** How a user is shown to others: a name and a picture, never the e-mail's own text unless it is the only name. */
export const personOf = (user: User): Person => {
  // One person may have a part in thousands of features, and the address of the picture takes a hash.
  const person = people.get(user) ?? toPerson(user);
  people.set(user, person);
  return person;
};

const toPerson = (user: User): Person => {
  const known = user.email ?? user.username ?? String(user.id);
  const hash = createHash('sha256').update(known.trim().toLowerCase()).digest('hex');
  return {
    id: user.id,
    name: user.name || user.username || user.email || `User ${user.id}`,
    imageUrl: user.imageUrl || `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`,
  };
};

/** The service's own technical users are no people, and somebody may be gone. */
export const peopleAmong = (users: readonly (User | null | undefined)[]): Person[] =>
  users.flatMap((user) => (user && !user.isSystem ? [personOf(user)] : []));

/** People who changed the feature, the latest first. */
export const collaboratorsOf = async (loaders: Loaders, featureName: string): Promise<Person[]> => {
  const authors = await loaders.collaboratorsOfFeature.load(featureName);
  return peopleAmong(await Promise.all(authors.map(({ userId }) => loaders.user.load(userId))));
};
