import { createHash } from 'node:crypto';
import type { ShownUser } from '../../data/users.js';
import type { Actor } from '../actor.js';

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

/** A guessed email address can be compared with its Gravatar hash: only administrators and the user see it. */
export const imageFor = (actor: Actor, { id, imageUrl }: Person): string => {
  const isShown = actor.can('ADMIN') || actor.userId === id;
  return !isShown && /gravatar\.com\//i.test(imageUrl) ? generatedImage(String(id)) : imageUrl;
};

/** IDs can be guessed, and only administrators may look up users that are shown by an email address. */
export const mayLookUp = (actor: Actor, { name }: Person): boolean =>
  actor.can('ADMIN') || !name.includes('@');

/** Skips Unleash's system users and users that no longer exist. */
export const peopleAmong = (users: readonly (ShownUser | null | undefined)[]): Person[] =>
  users.flatMap((user) => (user && !user.isSystem ? [personOf(user)] : []));
