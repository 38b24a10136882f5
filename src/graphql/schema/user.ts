import type { Loaders } from '../../domain/rows.js';
import { imageFor, type Person, personOf } from '../../domain/users/person.js';
import { builder } from '../builder.js';
import { Node } from './node.js';

export const User = builder.objectRef<Person>('User').implement({
  interfaces: [Node],
  description: 'A user of Unleash. Deleted users keep their ID.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'User ID.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    imageUrl: t.string({
      description:
        'Avatar URL. Without a picture of their own, users have one from Gravatar. Its URL contains a hash of the email address only for callers with ADMIN and for the user.',
      resolve: (person, _args, { actor }) => imageFor(actor, person),
    }),
  }),
});

/** Null if there is no ID, or no user with that ID. */
export const findUser = async (id: number | null, { user }: Loaders): Promise<Person | null> => {
  const found = id === null ? null : await user.load(id);
  return found && personOf(found);
};
