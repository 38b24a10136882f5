import { createHash } from 'node:crypto';
import type { Environment, Feature, FeatureEnvironment, LastSeen } from '../../data/db.js';
import type { Loaders } from '../../data/loaders.js';
import type { ShownUser } from '../../data/users.js';

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

export type Person = { id: number; name: string; imageUrl: string };

const people = new WeakMap<ShownUser, Person>();

/** A user as shown to others: a name and a picture. The email is shown only if there is no other name. */
export const personOf = (user: ShownUser): Person => {
  // Cached, because one user can be part of thousands of features, and the image URL requires a hash.
  const person = people.get(user) ?? toPerson(user);
  people.set(user, person);
  return person;
};

const generatedImage = (key: string): string => {
  const hash = createHash('sha256').update(key.trim().toLowerCase()).digest('hex');
  return `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
};

const toPerson = (user: ShownUser): Person => ({
  id: user.id,
  name: user.name || user.username || user.email || `User ${user.id}`,
  imageUrl: user.imageUrl || generatedImage(user.email ?? user.username ?? String(user.id)),
});

/** The picture for callers who may not see email addresses: a guessed address can be compared with its Gravatar hash. */
export const imageWithoutEmail = ({ id, imageUrl }: Person): string =>
  /gravatar\.com\//i.test(imageUrl) ? generatedImage(String(id)) : imageUrl;

/** Skips Unleash's system users and users that no longer exist. */
export const peopleAmong = (users: readonly (ShownUser | null | undefined)[]): Person[] =>
  users.flatMap((user) => (user && !user.isSystem ? [personOf(user)] : []));

/** Users who changed the feature, latest first. */
export const collaboratorsOf = async (loaders: Loaders, featureName: string): Promise<Person[]> => {
  const collaborators = await loaders.collaboratorsOfFeature.load(featureName);
  return peopleAmong(collaborators.map(({ user }) => user));
};
