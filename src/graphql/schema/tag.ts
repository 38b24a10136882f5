import { asObjects } from '../../domain/json.js';
import { builder } from '../builder.js';

type TagShape = { type: string; value: string };

export const Tag = builder.objectRef<TagShape>('Tag').implement({
  description: 'A mark on a feature, made of a kind and a value.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'Kind of tag, 2 to 50 characters, such as `simple`.',
    }),
    value: t.exposeString('value', { description: 'Text of the tag, 2 to 50 characters.' }),
  }),
});

/** Tags out of recorded JSON, leaving out what is none. */
export const readTags = (value: unknown): TagShape[] =>
  asObjects(value).flatMap(({ type, value: text }) =>
    typeof type === 'string' && typeof text === 'string' ? [{ type, value: text }] : [],
  );
