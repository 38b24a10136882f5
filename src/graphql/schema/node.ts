import type { EventRow } from '../../domain/events/event-query.js';
import type { IntegrationEventRow } from '../../domain/integrations/integration-event-query.js';
import type { Feature, Project } from '../../domain/rows.js';
import { builder } from '../builder.js';
import { encodeNodeId, type NodeTypeName } from '../node-id.js';

/** The rows behind the objects that have an id of their own. */
type NodeRows = {
  Event: EventRow;
  Feature: Feature;
  Project: Project;
  Integration: { id: number };
  IntegrationEvent: IntegrationEventRow;
};

const KEY_OF: { [Type in NodeTypeName]: (row: NodeRows[Type]) => number | bigint | string } = {
  Event: ({ id }) => id,
  Feature: ({ name }) => name,
  Project: ({ id }) => id,
  Integration: ({ id }) => id,
  IntegrationEvent: ({ id }) => id,
};

// The Relay plugin's own nodes are read by itself, past the operations that know who may see what.
export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'An object that can be found again by its id alone: `node(id:)`.',
  fields: (t) => ({
    nodeId: t.id({
      description:
        'Identifies it among all objects of this deployment, such as `MTpPblVtUnk6RmVhdHVyZTpjaGVja291dC1vbmUtcGFnZQ`. It stays the same, and is not made to be taken apart.',
      resolve: async (row, _args, { operations }, { parentType }) => {
        const type = parentType.name as NodeTypeName;
        const keyOf: (row: never) => number | bigint | string = KEY_OF[type];
        return encodeNodeId(await operations.findDeploymentMark(), {
          type,
          key: String(keyOf(row as never)),
        });
      },
    }),
  }),
});

const NodeType = builder.enumType('NodeType', {
  description: 'The types whose objects have a `nodeId`.',
  values: {
    EVENT: { value: 'Event', description: 'An event of the log.' },
    FEATURE: { value: 'Feature', description: 'A feature.' },
    PROJECT: { value: 'Project', description: 'A project.' },
    INTEGRATION: { value: 'Integration', description: 'An integration. Needs ADMIN.' },
    INTEGRATION_EVENT: {
      value: 'IntegrationEvent',
      description: 'A delivery to an integration. Needs ADMIN.',
    },
  } satisfies Record<string, { value: NodeTypeName; description: string }>,
});

/** An argument for callers who can do with objects of one type only. */
export const TYPE_ARG = {
  type: NodeType,
  description:
    'The type you expect. Anything else is then an error, instead of an object that none of your fragments fits.',
};
