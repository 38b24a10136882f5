import { builder } from '../builder.js';

export const TagInput = builder.inputType('TagInput', {
  description: 'A tag to filter by.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'Tag type, such as `simple`.' }),
    value: t.string({ required: true, description: 'Tag value, such as `mobile-team`.' }),
  }),
});
