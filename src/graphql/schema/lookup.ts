import { BadDataError } from '../../domain/errors.js';
import { assertText } from '../../domain/text.js';
import { builder } from '../builder.js';
import { findNode } from '../find-node.js';
import { assertType, decodeNodeId, isKey, isNodeId, type NodeKey } from '../node-id.js';
import { Node, TYPE_ARG } from './node.js';

const LookupInput = builder.inputType('LookupInput', {
  description:
    'What to look for, in exactly one of these ways: `{ feature: "checkout-one-page" }` or `{ event: 42 }`.',
  isOneOf: true,
  fields: (t) => ({
    nodeId: t.id({ description: 'An object of any type, by what its field `nodeId` answered.' }),
    event: t.int({ description: 'An event, by its number, such as `42`.' }),
    feature: t.string({ description: 'A feature, by its name, such as `checkout-one-page`.' }),
    project: t.string({ description: 'A project, by its id, such as `default`.' }),
    integration: t.int({ description: 'An integration, by its number. Needs ADMIN.' }),
    integrationEvent: t.id({
      description: 'A delivery, by its number as text, such as `"42"`. Needs ADMIN.',
    }),
  }),
});

const readDeliveryNumber = (text: string): string => {
  if (isKey('IntegrationEvent', text)) return text;
  const advice = isNodeId(text)
    ? `it is a nodeId, which goes into 'by.nodeId'`
    : `give what its field 'id' answered, such as "42"`;
  throw BadDataError.of({
    message: `'by.integrationEvent' is not the number of a delivery: ${advice}.`,
  });
};

/** GraphQL has seen to it that exactly one way is given. */
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
      'One object by whatever you know of it; null when there is none, or none that you may see: the two cannot be told apart.',
    args: {
      by: t.arg({ type: LookupInput, required: true, description: 'What is known of it.' }),
      type: t.arg(TYPE_ARG),
    },
    resolve: async (_root, { by, type }, context) => {
      const found = readLookup(by, await context.operations.findDeploymentMark());
      assertType(`by.${Object.keys(by)[0]}`, found, type);
      return findNode(found, context);
    },
  }),
);
