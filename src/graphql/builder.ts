import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import type { PrismaClient } from '../data/db.js';
import type PrismaTypes from '../data/generated/pothos.js';
import { getDatamodel } from '../data/generated/pothos.js';
import type { Context } from './context.js';

/** The client with which the Prisma plugin loads relations. */
export type PluginClient = PrismaClient;

export type SchemaTypes = {
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    /** The text; `domain/duration.ts` reads it. */
    Duration: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: Record<string, unknown>; Output: Record<string, unknown> };
    /** Entity representations; see federation/entities.ts. */
    _Any: { Input: unknown; Output: unknown };
  };
};

/** The parent connection is already multiplied by the page size. */
const PAGE_MEMBERS = { field: 1, multiplier: 1 };

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ComplexityPlugin, RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  // use-operation-limits.ts computes the cost before execution and sets its own HTTP status.
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
      description: 'Items of this page, without cursors.',
      complexity: PAGE_MEMBERS,
    },
    edgesFieldOptions: {
      nullable: false,
      description: 'Items of this page, with their cursors.',
      complexity: PAGE_MEMBERS,
    },
    pageInfoFieldOptions: { description: 'Pagination information for this page.' },
    cursorFieldOptions: { description: 'Cursor of this item, for use in `after` or `before`.' },
    nodeFieldOptions: { nullable: false, description: 'The item.' },
    pageInfoTypeOptions: { description: 'Pagination information for a page of a list.' },
    hasNextPageFieldOptions: { description: 'Whether more items follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether items precede this page.' },
    startCursorFieldOptions: {
      description: 'Cursor of the first item. Null if the page is empty.',
    },
    endCursorFieldOptions: { description: 'Cursor of the last item. Null if the page is empty.' },
    firstArgOptions: {
      description: 'Returns the first _n_ items. Default 50.',
    },
    lastArgOptions: {
      description: 'Returns the last _n_ items.',
    },
    afterArgOptions: { description: 'Returns only items after this cursor of the same list.' },
    beforeArgOptions: { description: 'Returns only items before this cursor of the same list.' },
  },
});

builder.queryType({ description: 'Root type for queries.' });
builder.mutationType({ description: 'Root type for mutations.' });
builder.subscriptionType({ description: 'Root type for subscriptions.' });
