import { BadDataError } from '../../domain/errors.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { findNode } from '../find-node.js';
import { assertType, decodeNodeId, isKey, isNodeId, type NodeKey } from '../node-id.js';
import { Node, TYPE_ARG } from './node.js';

const LookupInput = builder.inputType('LookupInput', {
  description:
    'Identifies one object. Set exactly one field, such as `{ feature: "checkout-one-page" }` or `{ event: 42 }`.',
  isOneOf: true,
  fields: (t) => ({
    nodeId: t.id({ description: 'Global ID of an object of any type, as returned by `nodeId`.' }),
    event: t.int({ description: 'Event ID, such as `42`.' }),
    feature: t.string({ description: 'Feature name, such as `checkout-one-page`.' }),
    project: t.string({ description: 'Project ID, such as `default`.' }),
    integration: t.int({ description: 'Integration ID. Requires the ADMIN permission.' }),
    integrationEvent: t.id({
      description: 'Delivery ID as a string, such as `"42"`. Requires the ADMIN permission.',
    }),
  }),
});

const readDeliveryNumber = (text: string): string => {
  if (isKey('IntegrationEvent', text)) return text;
  const advice = isNodeId(text)
    ? `use 'by.nodeId' for a nodeId`
    : `use the value of its field 'id', such as "42"`;
  throw BadDataError.of({
    message: `'by.integrationEvent' is not a delivery ID: ${advice}.`,
  });
};

/** GraphQL validates that exactly one field is set. */
const readLookup = (by: typeof LookupInput.$inferInput, deployment: string | null): NodeKey => {
  if (by.nodeId !== undefined) return decodeNodeId('by.nodeId', String(by.nodeId), deployment);
  if (by.event !== undefined) return { type: 'Event', key: String(by.event) };
  if (by.integration !== undefined) return { type: 'Integration', key: String(by.integration) };
  if (by.feature !== undefined) {
    assertText('The feature name', by.feature);
    return { type: 'Feature', key: by.feature };
  }
  if (by.project !== undefined) {
    assertText('The project id', by.project);
    return { type: 'Project', key: by.project };
  }
  return { type: 'IntegrationEvent', key: readDeliveryNumber(String(by.integrationEvent)) };
};

builder.queryField('lookup', (t) =>
  t.field({
    type: Node,
    nullable: true,
    description:
      'An object by its ID, name or `nodeId`. Null if it does not exist or you may not see it; the response does not reveal which.',
    args: {
      by: t.arg({
        type: LookupInput,
        required: true,
        description: 'ID, name or `nodeId` of the object.',
      }),
      type: t.arg(TYPE_ARG),
    },
    resolve: async (_root, { by, type }, context) => {
      const found = readLookup(by, await context.operations.findDeploymentMark());
      assertType(`by.${Object.keys(by)[0]}`, found, type);
      return findNode(found, context);
    },
  }),
);
