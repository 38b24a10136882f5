import { Prisma } from '../db.js';
import type { Lookup } from './find-with-fallback.sql.js';

export type ApiToken = { name: string; type: string | null; isExpired: boolean };

const EXPIRED = Prisma.sql`coalesce(expires_at <= now(), false) as "isExpired"`;

export const tokenBySecret = (secret: string): Lookup => ({
  select: Prisma.sql`
    select coalesce(nullif(token_name, ''), username) as name, type, ${EXPIRED}
    from api_tokens where secret = ${secret} or alias = ${secret}
    order by secret = ${secret} desc limit 1`,
  presence: Prisma.sql`true`,
});

/** The token comes with its verifier. */
export const tokenBySelector = (selector: string): Lookup => ({
  select: Prisma.sql`
    select token_name as name, type, ${EXPIRED}, verifier
    from api_tokens_v2 where selector = ${selector}`,
  presence: Prisma.sql`to_regclass('api_tokens_v2') is not null`,
});
