import { Prisma, type Sql } from '../db.js';
import { isReadable, readPayload } from './readable-payload.sql.js';

const TAGS = Prisma.sql`e.tags::text`;

/** Whether an event (alias `e`) records a tag. Most events have none. */
export const hasTag = ({ type, value }: { type: string; value: string }): Sql =>
  Prisma.sql`(${TAGS} <> '[]' and case when ${isReadable(TAGS)}
    then ${readPayload(TAGS)} @> ${JSON.stringify([{ type, value }])}::jsonb else false end)`;
