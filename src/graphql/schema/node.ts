import { builder } from '../builder.js';
import { encodeNodeId, type NodeTypeName } from '../node-id.js';

/** Features are told apart by their names, everything else by what it calls id. */
export type NodeRow = { id: number | bigint | string } | { name: string };

const keyOf = (row: NodeRow): string => String('id' in row ? row.id : row.name);

// The Relay plugin's own nodes are read by itself, past the operations that know who may see what.
export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object that can be found again by its id alone: `node(id:)`.',
  fields: (t) => ({
    nodeId: t.id({
      description:
        'Identifies it among all objects of this deployment; that of a feature looks like `MTpPblVtUnk6RmVhdHVyZTpjaGVja291dC1vbmUtcGFnZQ`. It stays the same, and is not made to be taken apart.',
      resolve: async (row, _args, { operations }, { parentType }) =>
        encodeNodeId(await operations.findDeploymentMark(), {
          type: parentType.name as NodeTypeName,
          key: keyOf(row),
        }),
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
