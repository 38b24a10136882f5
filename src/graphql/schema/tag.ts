import { asObjects } from '../../domain/json.js';
import { builder } from '../builder.js';

type TagShape = { type: string; value: string };

export const Tag = builder.objectRef<TagShape>('Tag').implement({
  description: 'A label on a feature, consisting of a type and a value.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'Tag type, 2 to 50 characters, such as `simple`.',
    }),
    value: t.exposeString('value', { description: 'Tag value, 2 to 50 characters.' }),
  }),
});

/** Reads tags from recorded JSON and skips invalid entries. */
export const readTags = (value: unknown): TagShape[] =>
  asObjects(value).flatMap(({ type, value: text }) =>
    typeof type === 'string' && typeof text === 'string' ? [{ type, value: text }] : [],
  );
