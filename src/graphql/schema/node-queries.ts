import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';
import { findNode } from '../find-node.js';
import { listWithErrors } from '../list-with-errors.js';
import { assertType, decodeNodeId } from '../node-id.js';
import { Node, type NodeRow, TYPE_ARG } from './node.js';

export const MAX_NODES = 100;

builder.queryFields((t) => ({
  // Nothing but `id`: Relay's compiler takes no other field for the one that finds objects again.
  node: t.field({
    type: Node,
    nullable: true,
    description:
      'One object by its `nodeId`; null when there is none, or none that you may see: the two cannot be told apart.',
    args: { id: t.arg.id({ required: true, description: 'What a field `nodeId` answered.' }) },
    resolve: async (_root, { id }, context) => {
      const deployment = await context.operations.findDeploymentMark();
      return findNode(decodeNodeId('id', String(id), deployment), context);
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'Many objects by their `nodeId`s, in the order of these; null in the place of each that is not there or that you may not see. An id that is none leaves null in its place, and an error.',
    complexity: ({ ids }) => ({ field: 1, multiplier: Math.max(1, ids.length) }),
    args: {
      ids: t.arg.idList({
        required: true,
        description: `What fields \`nodeId\` answered, at most ${MAX_NODES}.`,
      }),
      type: t.arg(TYPE_ARG),
    },
    resolve: async (_root, { ids, type }, context) => {
      if (ids.length > MAX_NODES) {
        const message = `'ids' may hold ${MAX_NODES} ids; these are ${ids.length}. Ask for the rest in another request.`;
        throw BadDataError.of({ message });
      }
      const deployment = await context.operations.findDeploymentMark();
      const find = async (id: string, place: string) => {
        const found = decodeNodeId(place, id, deployment);
        assertType(place, found, type);
        return findNode(found, context);
      };
      return listWithErrors<NodeRow | null>(
        'ids',
        ids.map((id, index) => find(String(id), `ids.${index}`)),
      );
    },
  }),
}));
