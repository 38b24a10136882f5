import type { IntegrationRow } from '../../domain/integrations/list-integrations.js';
import { asStrings } from '../../domain/json.js';
import { builder } from '../builder.js';
import { Environment, findEnvironment } from './environment.js';
import { EventType, toEventType } from './event-type.js';
import { Node } from './node.js';
import { Project } from './project.js';

/** What integrations for all projects or environments record, unless the list is empty. */
const ALL = '*';

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
    eventTypes: t.field({
      type: [EventType],
      description: 'Event types it receives.',
      resolve: (integration) => asStrings(integration.events).map(toEventType),
    }),
    projectIds: t.stringList({
      description:
        'IDs of the projects whose events it receives; empty or `*` means all. Projects that you may not see are omitted.',
      resolve: (integration, _args, { actor }) =>
        asStrings(integration.projects).filter((id) => id === ALL || actor.sees(id)),
    }),
    projects: t.field({
      type: [Project],
      description:
        'Projects it is limited to. Empty if it receives events of all. Deleted projects and those you may not see are omitted.',
      resolve: async (integration, _args, { loaders }) => {
        const ids = asStrings(integration.projects).filter((id) => id !== ALL);
        const projects = await Promise.all(ids.map((id) => loaders.project.load(id)));
        return projects.filter((found) => found !== null);
      },
    }),
    environmentNames: t.stringList({
      description: 'Names of the environments whose events it receives; empty or `*` means all.',
      resolve: (integration) => [...asStrings(integration.environments)],
    }),
    environments: t.field({
      type: [Environment],
      description:
        'Environments it is limited to. Empty if it receives events of all. Deleted environments are omitted.',
      resolve: async (integration, _args, { loaders }) => {
        const names = asStrings(integration.environments);
        const found = await Promise.all(names.map((name) => findEnvironment(name, loaders)));
        return found.filter((environment) => environment !== null);
      },
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
