/** Offset pagination, as in REST. The offset may be beyond the last row. */
export type OffsetPage = { limit: number; offset: number };

/** An order of a list; descending is the exact reverse of ascending. */
export type Order<Field extends string> = { field: Field; descending: boolean };

/** Keyset pagination; `backward` starts at the end. `after` and `before` are exclusive bounds in list order. */
export type KeysetPage<Key> = {
  limit: number;
  after?: Key;
  before?: Key;
  backward?: boolean;
};
