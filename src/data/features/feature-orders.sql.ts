import { Prisma } from '../db.js';
import type { Order } from '../paging.js';
import type { SortKey } from '../sql/keyset.sql.js';
import { LOWEST, milliseconds } from '../sql/read-rows.sql.js';
import { LAST_SEEN } from './feature-facts.sql.js';

export const FEATURE_ORDERS = [
  'NAME',
  'CREATED_AT',
  'LAST_SEEN_AT',
  'ARCHIVED_AT',
  'TYPE',
  'PROJECT_ID',
  'STALE',
] as const;

export type FeatureOrder = Order<(typeof FEATURE_ORDERS)[number]>;

const time = (column: Prisma.Sql): SortKey => ({
  sql: Prisma.sql`coalesce(${milliseconds(column)}::bigint, ${LOWEST}::bigint)`,
  type: 'bigint',
});

const text = (column: Prisma.Sql): SortKey => ({
  sql: Prisma.sql`coalesce(${column}::text, '')`,
  type: 'text',
});

const NAME: SortKey = { sql: Prisma.sql`t.name`, type: 'text' };

/** Features (alias `t`) by a value, then by name, which is unique. */
const KEYS: Readonly<Record<FeatureOrder['field'], readonly SortKey[]>> = {
  NAME: [NAME],
  CREATED_AT: [time(Prisma.sql`t.created_at`), NAME],
  LAST_SEEN_AT: [time(LAST_SEEN), NAME],
  ARCHIVED_AT: [time(Prisma.sql`t.archived_at`), NAME],
  TYPE: [text(Prisma.sql`t.type`), NAME],
  PROJECT_ID: [text(Prisma.sql`t.project`), NAME],
  STALE: [{ sql: Prisma.sql`coalesce(t.stale, false)::int::bigint`, type: 'bigint' }, NAME],
};

export const featureKeys = ({ field }: FeatureOrder): readonly SortKey[] => KEYS[field];
