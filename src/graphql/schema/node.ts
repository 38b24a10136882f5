import { builder } from '../builder.js';
import { joinKey } from '../join-key.js';
import { encodeNodeId, type NodeTypeName } from '../node-id.js';

/** Features and environments are identified by name, their combinations by both, all other types by `id`. */
export type NodeRow =
  | { id: number | bigint | string }
  | { name: string }
  | { featureName: string; environmentName: string }
  | { projectId: string; environmentName: string };

const keyOf = (row: NodeRow): string => {
  if ('id' in row) return String(row.id);
  if ('name' in row) return row.name;
  return joinKey('featureName' in row ? row.featureName : row.projectId, row.environmentName);
};

// Not the Relay plugin's node: the plugin reads rows itself, bypassing the operations that check permissions.
export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with a global ID. Fetch it again with `node(id:)`.',
  fields: (t) => ({
    nodeId: t.id({
      description:
        'Global ID, unique within this deployment, such as `MTpPblVtUnk6RmVhdHVyZTpjaGVja291dC1vbmUtcGFnZQ` for a feature. It is stable and opaque: do not parse it.',
      resolve: async (row, _args, { operations }, { parentType }) =>
        encodeNodeId(await operations.findDeploymentMark(), {
          type: parentType.name as NodeTypeName,
          key: keyOf(row),
        }),
    }),
  }),
});

const NodeType = builder.enumType('NodeType', {
  description: 'Types whose objects have a `nodeId`.',
  values: {
    EVENT: { value: 'Event', description: 'An event in the event log.' },
    FEATURE: { value: 'Feature', description: 'A feature.' },
    PROJECT: { value: 'Project', description: 'A project.' },
    INTEGRATION: {
      value: 'Integration',
      description: 'An integration. Requires the ADMIN permission.',
    },
    INTEGRATION_EVENT: {
      value: 'IntegrationEvent',
      description: 'A delivery to an integration. Requires the ADMIN permission.',
    },
    ENVIRONMENT: { value: 'Environment', description: 'An environment.' },
    SEGMENT: { value: 'Segment', description: 'A segment.' },
    STRATEGY: { value: 'Strategy', description: 'A strategy of a feature.' },
    USER: { value: 'User', description: 'A user.' },
    FEATURE_ENVIRONMENT: {
      value: 'FeatureEnvironment',
      description: 'State of a feature in an environment.',
    },
    PROJECT_ENVIRONMENT: {
      value: 'ProjectEnvironment',
      description: 'An environment that a project uses.',
    },
  } satisfies Record<string, { value: NodeTypeName; description: string }>,
});

export const TYPE_ARG = {
  type: NodeType,
  description:
    'Expected type. An object of another type is then an error, instead of a result that matches none of your fragments.',
};
