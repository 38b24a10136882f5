import { LOOKUP_COST } from '../../domain/cost.js';
import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';
import { findNode } from '../find-node.js';
import { listWithErrors } from '../list-with-errors.js';
import { assertType, decodeNodeId } from '../node-id.js';
import { Node, type NodeRow, TYPE_ARG } from './node.js';

export const MAX_NODES = 100;

builder.queryFields((t) => ({
  // No argument besides `id`: Relay's compiler would not recognize the field as the one that refetches objects.
  node: t.field({
    type: Node,
    nullable: true,
    description:
      'An object by its `nodeId`. Null if it does not exist or you may not see it; the response does not reveal which.',
    args: { id: t.arg.id({ required: true, description: 'Global ID, as returned by `nodeId`.' }) },
    resolve: async (_root, { id }, context) => {
      const deployment = await context.operations.findDeploymentMark();
      return findNode(decodeNodeId('id', String(id), deployment), context);
    },
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description:
      'Objects by their `nodeId`, in the order of `ids`. Each object that does not exist or that you may not see is null. An invalid ID is null too, and adds an error.',
    complexity: ({ ids }) => ({
      field: LOOKUP_COST * Math.max(1, ids.length),
      multiplier: Math.max(1, ids.length),
    }),
    args: {
      ids: t.arg.idList({
        required: true,
        description: `Global IDs, as returned by \`nodeId\`. At most ${MAX_NODES}.`,
      }),
      type: t.arg(TYPE_ARG),
    },
    resolve: async (_root, { ids, type }, context) => {
      if (ids.length > MAX_NODES) {
        const message = `'ids' can have at most ${MAX_NODES} entries (got ${ids.length}). Request the rest separately.`;
        throw BadDataError.of({ message });
      }
      const deployment = await context.operations.findDeploymentMark();
      const find = async (id: string, argument: string) => {
        const found = decodeNodeId(argument, id, deployment);
        assertType(argument, found, type);
        return findNode(found, context);
      };
      return listWithErrors<string | number, NodeRow | null>({
        argument: 'ids',
        entries: ids,
        find: (id, index) => find(String(id), `ids.${index}`),
        slicer: context.slicer,
      });
    },
  }),
}));
