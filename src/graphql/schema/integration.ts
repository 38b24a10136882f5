import { asStrings } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Node } from './node.js';

export const Integration = builder.prismaObject('Integration', {
  interfaces: [Node],
  description: 'A configured receiver of events, called addon in REST. Its settings stay secret.',
  // Only these columns are ever read: the parameters hold secrets.
  select: { id: true, provider: true, description: true, enabled: true, createdAt: true },
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Number of the integration.' }),
    provider: t.exposeString('provider', { description: 'Kind of receiver, such as `webhook`.' }),
    description: t.exposeString('description', { nullable: true, description: 'Free text.' }),
    enabled: t.boolean({
      description: 'Whether events are delivered to it.',
      resolve: (integration) => integration.enabled ?? true,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was configured.',
    }),
    eventTypes: t.stringList({
      description: 'Types of events it receives, as recorded: `feature-created`.',
      select: { events: true },
      resolve: (integration) => [...asStrings(integration.events)],
    }),
    projects: t.stringList({
      description: 'Projects whose events it receives; none, or `*`, stands for all.',
      select: { projects: true },
      resolve: (integration) => [...asStrings(integration.projects)],
    }),
    environments: t.stringList({
      description: 'Environments whose events it receives; none, or `*`, stands for all.',
      select: { environments: true },
      resolve: (integration) => [...asStrings(integration.environments)],
    }),
  }),
});

builder.queryFields((t) => ({
  integration: t.prismaField({
    type: Integration,
    nullable: true,
    description: 'One integration by its number; null when there is none. Needs ADMIN.',
    args: { id: t.arg.int({ required: true, description: 'Number of the integration.' }) },
    resolve: (query, _root, { id }, { actor, operations }) =>
      operations.findIntegration(actor, id, query),
  }),
  integrations: t.prismaField({
    type: [Integration],
    description: 'All integrations. Needs ADMIN.',
    resolve: (query, _root, _args, { actor, operations }) =>
      operations.listIntegrations(actor, query),
  }),
}));
