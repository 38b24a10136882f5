import { builder } from '../builder.js';

export const Environment = builder.prismaObject('Environment', {
  description:
    'An environment, such as development or production. Features are enabled per environment.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Environment name, such as `production`.' }),
    type: t.exposeString('type', { description: 'Environment type, such as `production`.' }),
    sortOrder: t.exposeInt('sortOrder', {
      nullable: true,
      description: 'Position among all environments.',
    }),
    enabled: t.boolean({
      description: 'Whether the environment is enabled in the Unleash instance.',
      resolve: (environment) => environment.enabled ?? true,
    }),
  }),
});
