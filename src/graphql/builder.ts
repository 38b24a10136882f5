import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type { PrismaClient } from '../data/db.js';
import type PrismaTypes from '../data/generated/pothos.js';
import { getDatamodel } from '../data/generated/pothos.js';
import type { Context } from './context.js';

/** What the Prisma plugin loads relations with. */
export type PluginClient = PrismaClient;

export type SchemaTypes = {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> };
    /** The stand-ins of federation/entities.ts. */
    _Any: { Input: unknown; Output: unknown };
  };
};

/** The connection above has already been multiplied by the size of the page. */
const PAGE_MEMBERS = { field: 1, multiplier: 1 };

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ComplexityPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  // Measured before execution by use-operation-limits.ts, which answers with a status of its own.
  complexity: { disabled: true, defaultComplexity: 1, defaultListMultiplier: 5 },
  prisma: {
    client: (context) => context.client,
    dmmf: getDatamodel(),
    onUnusedQuery: 'error',
  },
  relay: {
    cursorType: 'String',
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: {
      description: 'The items of this page, without their cursors.',
      complexity: PAGE_MEMBERS,
    },
    edgesFieldOptions: {
      nullable: false,
      description: 'The items of this page, each with its cursor.',
      complexity: PAGE_MEMBERS,
    },
    pageInfoFieldOptions: { description: 'Where this page lies in the whole list.' },
    cursorFieldOptions: { description: 'Marks this place in the list, for `after` or `before`.' },
    nodeFieldOptions: { nullable: false, description: 'The item itself.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more items follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether items precede this page.' },
    startCursorFieldOptions: { description: 'Cursor of the first item; null on an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last item; null on an empty page.' },
    firstArgOptions: {
      description:
        'Size of the page, counted from its start. Default 50, at most 1000 (deliveries: 100).',
    },
    lastArgOptions: {
      description: 'Size of the page, counted from its end. At most 1000 (deliveries: 100).',
    },
    afterArgOptions: { description: 'Only items behind this cursor of the same list.' },
    beforeArgOptions: { description: 'Only items in front of this cursor of the same list.' },
  },
});

builder.queryType({ description: 'Everything that can be read.' });
builder.mutationType({ description: 'Everything that can be changed.' });
builder.subscriptionType({ description: 'Everything that can be followed live.' });
