import { builder } from '../builder.js';

export const Environment = builder.prismaObject('Environment', {
  description: 'A place where features are on or off, such as development or production.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the environment, such as `production`.' }),
    type: t.exposeString('type', { description: 'Kind of environment, such as `production`.' }),
    sortOrder: t.exposeInt('sortOrder', { nullable: true, description: 'Place among the others.' }),
    enabled: t.boolean({
      description: 'Whether the installation uses it.',
      resolve: (environment) => environment.enabled ?? true,
    }),
  }),
});
