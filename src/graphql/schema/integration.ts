import type { IntegrationRow } from '../../domain/integrations/list-integrations.js';
import { asStrings } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Node } from './node.js';

// Not an object of the Prisma plugin: with a selection, it would read rows of other fields again.
export const Integration = builder.objectRef<IntegrationRow>('Integration').implement({
  interfaces: [Node],
  description:
    'A configured receiver of events, called addon in the REST API. Its parameters are secret and never returned.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Integration ID.' }),
    provider: t.exposeString('provider', { description: 'Provider, such as `webhook`.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Free-text description.',
    }),
    enabled: t.boolean({
      description: 'Whether events are delivered to it.',
      resolve: (integration) => integration.enabled ?? true,
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was created.',
    }),
    eventTypeNames: t.stringList({
      description: 'Event types it receives, as recorded, such as `feature-created`.',
      resolve: (integration) => [...asStrings(integration.events)],
    }),
    projectIds: t.stringList({
      description:
        'IDs of the projects whose events it receives; empty or `*` means all. Projects that you may not see are omitted.',
      resolve: (integration, _args, { actor }) =>
        asStrings(integration.projects).filter((id) => id === '*' || actor.sees(id)),
    }),
    environmentNames: t.stringList({
      description: 'Names of the environments whose events it receives; empty or `*` means all.',
      resolve: (integration) => [...asStrings(integration.environments)],
    }),
  }),
});

builder.queryFields((t) => ({
  integration: t.field({
    type: Integration,
    nullable: true,
    description: 'An integration by ID; null if it does not exist. Requires the ADMIN permission.',
    args: { id: t.arg.int({ required: true, description: 'Integration ID.' }) },
    resolve: (_root, { id }, { pages }) => pages.integration.load(id),
  }),
  integrations: t.field({
    type: [Integration],
    description: 'All integrations. Requires the ADMIN permission.',
    resolve: (_root, _args, { actor, operations }) => operations.listIntegrations(actor),
  }),
}));
