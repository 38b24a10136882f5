import { databaseFailure } from '../database-failure.js';
import type { Db } from '../db.js';

type SecureApiToken = { type: string; name: string; selector: string; expiresAt: Date | null };

/** API tokens that only newer Unleash versions have. */
export const listSecureApiTokens = (db: Db): Promise<SecureApiToken[]> =>
  db.$queryRaw<SecureApiToken[]>`
    select type, token_name as name, selector, expires_at as "expiresAt"
    from api_tokens_v2 order by created_at, selector`.catch((error: unknown) => {
    if (databaseFailure(error) === 'unknown-object') return [];
    throw error;
  });

type StoredCredential = { id: number; secret: string | null; selector: string | null };

/** Read through JSON, because the columns depend on the Unleash version. */
export const listPersonalCredentials = (db: Db): Promise<StoredCredential[]> =>
  db.$queryRaw<StoredCredential[]>`
    select id, to_jsonb(token) ->> 'secret' as secret, to_jsonb(token) ->> 'selector' as selector
    from personal_access_tokens token`;
