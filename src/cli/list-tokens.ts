import type { Db } from '../data/db.js';

export type ListedToken = {
  kind: string;
  name: string;
  /** Enough of the secret to tell it from others, never enough to use it. */
  secret: string;
  owner: string | null;
  expiresAt: Date | null;
  expired: boolean;
};

const startOf = (secret: string): string => {
  const prefix = /^(user:|[^.]*:[^.]*\.)/.exec(secret)?.[0] ?? '';
  const rest = secret.slice(prefix.length);
  return `${prefix}${rest.slice(0, Math.min(4, Math.floor(rest.length / 4)))}…`;
};

/** All tokens, API tokens first, without their secrets. */
export const listTokens = async (db: Db, now: Date = new Date()): Promise<ListedToken[]> => {
  const api = await db.apiToken.findMany({ orderBy: [{ createdAt: 'asc' }, { secret: 'asc' }] });
  const personal = await db.personalAccessToken.findMany({
    include: { user: true },
    orderBy: { id: 'asc' },
  });
  return [
    ...api.map(({ type, tokenName, username, secret, expiresAt }) => ({
      kind: type,
      name: tokenName || username,
      secret: startOf(secret),
      owner: null,
      expiresAt,
    })),
    ...personal.map(({ description, secret, expiresAt, user }) => ({
      kind: 'personal',
      name: description ?? '',
      secret: startOf(secret),
      owner: user.email ?? user.username ?? user.name ?? String(user.id),
      expiresAt,
    })),
  ].map((token) => ({ ...token, expired: token.expiresAt !== null && token.expiresAt <= now }));
};

/** The list as lines of a table. */
export const tokenTable = (tokens: readonly ListedToken[]): string[] => {
  const rows = tokens.map(({ kind, name, secret, owner, expiresAt, expired }) => [
    kind,
    name,
    secret,
    owner ?? '–',
    `${expiresAt?.toISOString().slice(0, 10) ?? 'never'}${expired ? ' (expired)' : ''}`,
  ]);
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
