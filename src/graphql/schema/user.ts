import type { Person } from '../../domain/features/feature-parts.js';
import { builder } from '../builder.js';

export const User = builder.objectRef<Person>('User').implement({
  description: 'A user of Unleash.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'User ID.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    imageUrl: t.exposeString('imageUrl', {
      description: 'Avatar URL, such as `https://gravatar.com/avatar/…`.',
    }),
  }),
});
