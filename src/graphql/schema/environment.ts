import type { Loaders } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { Node } from './node.js';

export const Environment = builder.prismaObject('Environment', {
  interfaces: [Node],
  description:
    'An environment, such as development or production. Features are enabled per environment.',
  fields: (t) => ({
    id: t.exposeID('name', { description: 'Environment ID: the same as `name`.' }),
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

/** Null if there is no name, or no environment of that name. */
export const findEnvironment = async (name: string | null, { environments }: Loaders) =>
  name === null
    ? null
    : ((await environments.load('all')).find((environment) => environment.name === name) ?? null);
