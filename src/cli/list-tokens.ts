import { listPersonalCredentials, listSecureApiTokens } from '../data/auth/stored-tokens.sql.js';
import type { Db } from '../data/db.js';
import { toPlainLine } from '../domain/plain-line.js';

export type ListedToken = {
  kind: string;
  name: string;
  /** Enough of the secret to recognize it, never enough to use it. */
  secret: string;
  owner: string | null;
  expiresAt: Date | null;
  expired: boolean;
};

/** Identifies the row of a token that the gateway can delete. */
export type TokenKey = { apiSecret: string } | { personalId: number };

/** `key` is missing for tokens whose table only Unleash writes. */
export type StoredToken = { listed: ListedToken; key?: TokenKey };

const startOf = (secret: string): string => {
  const prefix = /^(user:|[^.]*:[^.]*\.)/.exec(secret)?.[0] ?? '';
  const rest = secret.slice(prefix.length);
  return `${prefix}${rest.slice(0, Math.min(4, Math.floor(rest.length / 4)))}…`;
};

/** For tokens stored as selector and verifier, the selector is the public part. */
const startOfSelector = (selector: string): string => `v2_${selector.slice(0, 4)}…`;

const startsOfPersonalTokens = async (db: Db): Promise<Map<number, string>> =>
  new Map(
    (await listPersonalCredentials(db)).map(({ id, secret, selector }) => [
      id,
      secret === null ? `user:${startOfSelector(selector ?? '')}` : startOf(secret),
    ]),
  );

/** All tokens, API tokens first. */
export const readTokens = async (db: Db, now: Date = new Date()): Promise<StoredToken[]> => {
  const api = await db.apiToken.findMany({ orderBy: [{ createdAt: 'asc' }, { secret: 'asc' }] });
  const secureApi = await listSecureApiTokens(db);
  const personal = await db.personalAccessToken.findMany({
    select: { id: true, description: true, expiresAt: true, user: true },
    orderBy: { id: 'asc' },
  });
  const starts = await startsOfPersonalTokens(db);
  const stored = (token: Omit<ListedToken, 'expired'>, key?: TokenKey): StoredToken => ({
    listed: { ...token, expired: token.expiresAt !== null && token.expiresAt <= now },
    ...(key && { key }),
  });
  return [
    ...api.map(({ type, tokenName, username, secret, expiresAt }) =>
      stored(
        {
          kind: type,
          name: tokenName || username,
          secret: startOf(secret),
          owner: null,
          expiresAt,
        },
        { apiSecret: secret },
      ),
    ),
    ...secureApi.map(({ type, name, selector, expiresAt }) =>
      stored({ kind: type, name, secret: startOfSelector(selector), owner: null, expiresAt }),
    ),
    ...personal.map(({ id, description, expiresAt, user }) =>
      stored(
        {
          kind: 'personal',
          name: description ?? '',
          secret: starts.get(id) ?? '…',
          owner: user.email ?? user.username ?? user.name ?? String(user.id),
          expiresAt,
        },
        { personalId: id },
      ),
    ),
  ];
};

/** All tokens without their secrets. */
export const listTokens = async (db: Db, now?: Date): Promise<ListedToken[]> =>
  (await readTokens(db, now)).map(({ listed }) => listed);

/** The lines of a table. Stored texts can't control the terminal. */
export const tokenTable = (tokens: readonly ListedToken[]): string[] => {
  const rows = tokens.map(({ kind, name, secret, owner, expiresAt, expired }) =>
    [
      kind,
      name,
      secret,
      owner ?? '–',
      `${expiresAt?.toISOString().slice(0, 10) ?? 'never'}${expired ? ' (expired)' : ''}`,
    ].map(toPlainLine),
  );
  const all = [['KIND', 'NAME', 'SECRET', 'OWNER', 'EXPIRES'], ...rows];
  const widths = all[0]?.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths?.[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};
