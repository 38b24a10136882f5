import { createHash } from 'node:crypto';
import type { ObjectRef } from '@pothos/core';
import { BadDataError } from '../domain/errors.js';
import { DEFAULT_LIMIT, type KeysetPage, type Slice } from '../domain/paging.js';
import { builder, type SchemaTypes } from './builder.js';
import { filterWeight } from './filter-tree.js';
import { CountUpTo, readCount } from './schema/count-up-to.js';

export type PageArgs = {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
};

/** How the items of one kind of list are found again: the text of a key inside a cursor, and back. */
export type CursorKey<Row, Key> = {
  kind: string;
  keyOf: (row: Row) => Key;
  parse: (text: string) => Key | null;
};

/** Cursors belong to a kind of list and to its filter; the mark makes one from elsewhere recognisable. */
const markOf = (kind: string, filter: unknown) =>
  createHash('sha256')
    .update(`${kind}\n${JSON.stringify(filter)}`)
    .digest('base64url')
    .slice(0, 8);

const encodeCursor = (mark: string, key: unknown) =>
  Buffer.from(`1:${mark}:${String(key)}`).toString('base64url');

/** An item with its cursor, which few ask for. */
class EdgeOf<Row, Key> {
  readonly node: Row;
  readonly #mark: string;
  readonly #key: CursorKey<Row, Key>;

  constructor(node: Row, mark: string, key: CursorKey<Row, Key>) {
    this.node = node;
    this.#mark = mark;
    this.#key = key;
  }

  get cursor(): string {
    return encodeCursor(this.#mark, this.#key.keyOf(this.node));
  }
}

/** What helps against any cursor that is refused. */
const TAKE_ANOTHER =
  'Take one that this list answered to the same filter, or leave it out to begin anew.';

const invalid = (message: string) => BadDataError.of({ message });

const decodeCursor = <Key>(
  argument: string,
  cursor: string,
  mark: string,
  parse: (text: string) => Key | null,
): Key => {
  const decoded = Buffer.from(cursor, 'base64url');
  const isClean = decoded.toString('base64url') === cursor;
  const [, foundMark, text] = /^1:([\w-]{8}):(.*)$/s.exec(decoded.toString()) ?? [];
  if (!isClean || foundMark === undefined || text === undefined) {
    throw invalid(`'${argument}' is not a cursor of this API. ${TAKE_ANOTHER}`);
  }
  if (foundMark !== mark) {
    throw invalid(
      `'${argument}' is a cursor of another list or of another filter. ${TAKE_ANOTHER}`,
    );
  }
  const key = parse(text);
  if (key === null) throw invalid(`'${argument}' is not a cursor of this API. ${TAKE_ANOTHER}`);
  return key;
};

const pageSize = ({ first, last }: PageArgs, most: number): number => {
  if (typeof first === 'number' && typeof last === 'number') {
    throw invalid(`Give 'first' or 'last', not both.`);
  }
  const [argument, size] = typeof last === 'number' ? ['last', last] : ['first', first];
  if (size === null || size === undefined) return DEFAULT_LIMIT;
  if (size < 1 || size > most) {
    throw invalid(`'${argument}' must be from 1 to ${most}; ${size} is not.`);
  }
  return size;
};

/** Reads the four paging arguments of a list; `filter` is whatever else decides what the list holds. */
export const readPage = <Row, Key>(
  args: PageArgs,
  { key, filter, most }: { key: CursorKey<Row, Key>; filter: unknown; most: number },
) => {
  const mark = markOf(key.kind, filter);
  const page: KeysetPage<Key> = {
    limit: pageSize(args, most),
    ...(typeof args.after === 'string' && {
      after: decodeCursor('after', args.after, mark, key.parse),
    }),
    ...(typeof args.before === 'string' && {
      before: decodeCursor('before', args.before, mark, key.parse),
    }),
    backward: typeof args.last === 'number',
  };
  const toEdge = (node: Row) => new EdgeOf(node, mark, key);
  /** The cursor of a place, be there an item or not. */
  const cursorAt = (place: Key) => encodeCursor(mark, place);
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

/** What counting a list, and looking for a text in all of it, weigh against showing one item. */
export const COUNT_COST = 20;
const COUNT_UP_TO_COST = 5;
const TEXT_COST = 10_000;
/** So many values of a filter weigh as much as one item. */
const VALUES_PER_ITEM = 10;

/** For the cost of a query: a page costs as many items as it may hold. */
export const pageCost = (args: PageArgs) => ({
  field: 1,
  multiplier: Math.max(1, args.first ?? args.last ?? DEFAULT_LIMIT),
});

/** The same for a list in which texts can be searched for, anywhere in its filter. */
export const searchCost = (args: PageArgs & { filter?: unknown }) => {
  const { texts, values } = filterWeight(args.filter);
  return {
    ...pageCost(args),
    field: 1 + texts * TEXT_COST + Math.floor(values / VALUES_PER_ITEM),
  };
};

/** What a list hands on to its connection type: the exact total, should anybody ask, or where that is enough, up to a bound. */
export type Countable = { countTotal: (upTo?: number) => Promise<number> };

/** The connection and edge types of one kind of item. */
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
            'How many items match in all, exactly. Counted only when selected. Select it alone, without `nodes`, to count only.',
          complexity: COUNT_COST,
          resolve: (connection) => (connection as unknown as Countable).countTotal(),
        }),
        totalCountUpTo: t.field({
          type: CountUpTo,
          description:
            'How many items match, counted no further than to a bound: cheaper than `totalCount` where there are many.',
          complexity: COUNT_UP_TO_COST,
          args: {
            max: t.arg.int({
              required: true,
              description: 'Where to stop counting. From 1 to 100000.',
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
