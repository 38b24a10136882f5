import type { Person } from '../../domain/features/feature-parts.js';
import { builder } from '../builder.js';

export const User = builder.objectRef<Person>('User').implement({
  description: 'Somebody who works with features.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Number of the user.' }),
    name: t.exposeString('name', { description: 'Name to show.' }),
    imageUrl: t.exposeString('imageUrl', {
      description: 'Address of a picture, such as `https://gravatar.com/avatar/…`.',
    }),
  }),
});
