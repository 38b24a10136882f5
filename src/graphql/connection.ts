import { hash } from 'node:crypto';
import type { ArgBuilder, ObjectRef } from '@pothos/core';
import {
  CHARACTERS_PER_POINT,
  COUNT_COST,
  PATTERN_COST,
  SHORT_PATTERN_COST,
  SHORT_TEXT_COST,
  SORT_COST,
  TEXT_COST,
  VALUES_PER_ITEM,
} from '../domain/cost.js';
import { BadDataError } from '../domain/errors.js';
import { DEFAULT_LIMIT, type KeysetPage, type Slice } from '../domain/paging.js';
import { PeriodStart } from '../domain/period.js';
import { builder, type SchemaTypes } from './builder.js';
import { filterWeight } from './filter-tree.js';
import { CountUpTo, countUpToCost, readCount } from './schema/count-up-to.js';

export type PageArgs = {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
};

type Args = ArgBuilder<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>>;

/** The paging arguments of a connection whose pages have at most `max` items. */
export const pageArgs = ({ arg }: { arg: Args }, max: number) => ({
  first: arg.int({
    description: `Returns the first _n_ items. Default ${DEFAULT_LIMIT}, at most ${max}.`,
  }),
  after: arg.string({ description: 'Returns only items after this cursor of the same list.' }),
  last: arg.int({ description: `Returns the last _n_ items. At most ${max}.` }),
  before: arg.string({ description: 'Returns only items before this cursor of the same list.' }),
});

/** Sort key of a kind of list, and how to parse it from the text of a cursor. */
export type CursorKey<Row, Key> = {
  kind: string;
  keyOf: (row: Row) => Key;
  /** The text of a key. Default: `String`. */
  write?: (key: Key) => string;
  parse: (text: string) => Key | null;
};

/** A period that ends now stays the same filter, although its start moves. */
function stableValue(this: unknown, key: string, value: unknown): unknown {
  const original = (this as Record<string, unknown>)[key];
  return original instanceof PeriodStart ? { last: original.duration } : value;
}

/** Fingerprint of list and filter, to reject cursors of another list or filter. */
const filterFingerprint = (kind: string, filter: unknown) =>
  hash('sha256', `${kind}\n${JSON.stringify(filter, stableValue)}`, 'base64url').slice(0, 8);

const encodeCursor = <Key>(
  fingerprint: string,
  key: Key,
  write: (key: Key) => string = String,
): string => Buffer.from(`1:${fingerprint}:${write(key)}`).toString('base64url');

/** Encodes the cursor lazily, because few clients select it. */
class EdgeOf<Row, Key> {
  readonly node: Row;
  readonly #fingerprint: () => string;
  readonly #key: CursorKey<Row, Key>;

  constructor(node: Row, fingerprint: () => string, key: CursorKey<Row, Key>) {
    this.node = node;
    this.#fingerprint = fingerprint;
    this.#key = key;
  }

  get cursor(): string {
    return encodeCursor(this.#fingerprint(), this.#key.keyOf(this.node), this.#key.write);
  }
}

/** The cursors of this API are shorter. */
const MAX_CURSOR_LENGTH = 2_000;

const CURSOR_HINT =
  'Use a cursor that this list returned for the same filter, or omit it to start over.';

const invalid = (message: string) => BadDataError.of({ message });

const decodeCursor = <Key>(
  argument: string,
  cursor: string,
  fingerprint: string,
  parse: (text: string) => Key | null,
): Key => {
  const decoded = Buffer.from(cursor.slice(0, MAX_CURSOR_LENGTH), 'base64url');
  const isClean = decoded.toString('base64url') === cursor;
  const [, foundFingerprint, text] = /^1:([\w-]{8}):(.*)$/s.exec(decoded.toString()) ?? [];
  if (!isClean || foundFingerprint === undefined || text === undefined) {
    throw invalid(`'${argument}' is not a cursor of this API. ${CURSOR_HINT}`);
  }
  if (foundFingerprint !== fingerprint) {
    throw invalid(
      `'${argument}' is a cursor of another list, or of another filter or order. ${CURSOR_HINT}`,
    );
  }
  const key = parse(text);
  if (key === null) throw invalid(`'${argument}' is not a cursor of this API. ${CURSOR_HINT}`);
  return key;
};

const pageSize = ({ first, last }: PageArgs, max: number): number => {
  if (typeof first === 'number' && typeof last === 'number') {
    throw invalid(`Use either 'first' or 'last', not both.`);
  }
  const [argument, size] = typeof last === 'number' ? ['last', last] : ['first', first];
  if (size === null || size === undefined) return DEFAULT_LIMIT;
  if (size < 1 || size > max) {
    throw invalid(`'${argument}' must be between 1 and ${max} (got ${size}).`);
  }
  return size;
};

/** `filter` is everything besides the paging arguments that determines the content of the list. */
export const parsePage = <Row, Key>(
  args: PageArgs,
  { key, filter, max }: { key: CursorKey<Row, Key>; filter: unknown; max: number },
) => {
  const limit = pageSize(args, max);
  let known: string | undefined;
  const fingerprint = (): string => {
    known ??= filterFingerprint(key.kind, filter);
    return known;
  };
  const page: KeysetPage<Key> = {
    limit,
    ...(typeof args.after === 'string' && {
      after: decodeCursor('after', args.after, fingerprint(), key.parse),
    }),
    ...(typeof args.before === 'string' && {
      before: decodeCursor('before', args.before, fingerprint(), key.parse),
    }),
    backward: typeof args.last === 'number',
  };
  const toEdge = (node: Row) => new EdgeOf(node, fingerprint, key);
  /** The cursor of a position, whether or not an item exists there. */
  const cursorAt = (position: Key) => encodeCursor(fingerprint(), position, key.write);
  const toConnection = ({ rows, hasMore }: Slice<Row>) => {
    const edges = rows.map(toEdge);
    return {
      edges,
      pageInfo: {
        get startCursor() {
          return edges.at(0)?.cursor ?? null;
        },
        get endCursor() {
          return edges.at(-1)?.cursor ?? null;
        },
        hasNextPage: page.backward ? page.before !== undefined : hasMore,
        hasPreviousPage: page.backward ? hasMore : page.after !== undefined,
      },
    };
  };
  return { page, toConnection, toEdge, cursorAt };
};

/** A page costs as many items as it can hold. */
export const pageCost = (args: PageArgs) => ({
  field: 1,
  multiplier: Math.max(1, args.first ?? args.last ?? DEFAULT_LIMIT),
});

type ListArgs = PageArgs & { filter?: unknown; orderBy?: unknown };

const costByFilter = (textCost: number, patternCost: number) => (args: ListArgs) => {
  const { texts, patterns, values, characters } = filterWeight(args.filter);
  return {
    ...pageCost(args),
    field:
      1 +
      texts * textCost +
      patterns * patternCost +
      (args.orderBy ? SORT_COST : 0) +
      Math.floor(values / VALUES_PER_ITEM) +
      Math.floor(characters / CHARACTERS_PER_POINT),
  };
};

/** For the event log, where text search anywhere in the filter is expensive. */
export const searchCost = costByFilter(TEXT_COST, PATTERN_COST);

/** For shorter lists: features and projects. */
export const listCost = costByFilter(SHORT_TEXT_COST, SHORT_PATTERN_COST);

/** Counts only when selected: the exact total, or up to a limit. */
export type Countable = { countTotal: (upTo?: number) => Promise<number> };

export const connectionTypes = <Shape>(
  type: ObjectRef<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>, Shape>,
  names: { name: string; description: string; edgeDescription: string },
) => {
  const Edge = builder.edgeObject({
    type,
    name: `${names.name}Edge`,
    description: names.edgeDescription,
  });
  const Connection = builder.connectionObject(
    {
      type,
      name: `${names.name}Connection`,
      description: names.description,
      fields: (t) => ({
        totalCount: t.int({
          description:
            'Exact number of matching items. Computed only when selected. To count only, select it alone, without `nodes`.',
          complexity: COUNT_COST,
          resolve: (connection) => (connection as unknown as Countable).countTotal(),
        }),
        totalCountUpTo: t.field({
          type: CountUpTo,
          description:
            'Number of matching items, counted up to a limit. Cheaper than `totalCount` for large lists.',
          complexity: countUpToCost,
          args: {
            max: t.arg.int({
              required: true,
              description: 'Limit at which counting stops, from 1 to 100000.',
            }),
          },
          resolve: (connection, { max }) =>
            readCount(max, (connection as unknown as Countable).countTotal),
        }),
      }),
    },
    Edge,
  );
  return { Connection, Edge };
};
