import { randomBytes } from 'node:crypto';
import { databaseFailure } from '../data/database-failure.js';
import type { Db, User } from '../data/db.js';
import { CommandRefusedError } from './on-database.js';

export const TOKEN_KINDS = ['admin', 'client', 'frontend', 'personal'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export type NewToken = {
  kind: TokenKind;
  /** What the token is called; events made with an API token name it as their author. */
  name: string;
  /** User name, e-mail or number of the owner; personal tokens only. */
  user?: string | undefined;
  /** Where a client or frontend token is used. Default `development`. */
  environment?: string | undefined;
  /** Personal tokens: default 365. API tokens: default never. */
  expiresInDays?: number | undefined;
};

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 36_500;
const DEFAULT_PERSONAL_DAYS = 365;

const randomSecret = () => randomBytes(28).toString('hex');

const expiry = (days: number | undefined): Date | null => {
  if (days === undefined) return null;
  if (!Number.isInteger(days) || days < 1 || days > LONGEST_DAYS) {
    throw new CommandRefusedError(
      `A token lasts a whole number of days, from 1 to ${LONGEST_DAYS}.`,
    );
  }
  return new Date(Date.now() + days * DAY_MS);
};

const findOwner = async (db: Db, user: string): Promise<User> => {
  const id = /^\d{1,9}$/.test(user) ? Number(user) : -1;
  const [owner, ...others] = await db.user.findMany({
    where: {
      OR: [{ id }, { username: user }, { email: user.toLowerCase() }],
      deletedAt: null,
      isSystem: false,
    },
  });
  if (!owner) {
    throw new CommandRefusedError(
      `There is no user '${user}': name one by user name, e-mail or number.`,
    );
  }
  if (others.length > 0) throw new CommandRefusedError(`'${user}' is the name of several users.`);
  return owner;
};

const createPersonalToken = async (db: Db, token: NewToken): Promise<string> => {
  if (token.user === undefined) throw new CommandRefusedError('A personal token needs --user.');

  const expiresAt = expiry(token.expiresInDays ?? DEFAULT_PERSONAL_DAYS) as Date;
  const { id } = await findOwner(db, token.user);
  const namesakes = await db.personalAccessToken.count({
    where: { userId: id, description: token.name },
  });
  if (namesakes > 0) {
    throw new CommandRefusedError(`'${token.user}' already has a token called '${token.name}'.`);
  }

  const secret = `user:${randomSecret()}`;
  await storePersonalToken(db, { secret, description: token.name, userId: id, expiresAt });
  return secret;
};

const storePersonalToken = async (
  db: Db,
  data: { secret: string; description: string; userId: number; expiresAt: Date },
): Promise<void> => {
  try {
    await db.personalAccessToken.create({ data, select: { id: true } });
  } catch (error) {
    if (databaseFailure(error) !== 'unknown-object') throw error;
    throw new CommandRefusedError(
      'This database keeps personal tokens in a way the gateway reads but does not write. Make the token in the service it belongs to.',
    );
  }
};

const createApiToken = async (db: Db, token: NewToken): Promise<string> => {
  const { kind, name, user, environment } = token;
  if (user !== undefined) {
    throw new CommandRefusedError(
      '--user goes with personal tokens; an API token belongs to nobody.',
    );
  }
  if (kind === 'admin' && environment !== undefined) {
    throw new CommandRefusedError('An admin token is good for every environment.');
  }

  const place = kind === 'admin' ? null : (environment ?? 'development');
  if (place !== null && !(await db.environment.findUnique({ where: { name: place } }))) {
    throw new CommandRefusedError(`There is no environment '${place}'.`);
  }
  const secret = `*:${place ?? '*'}.${randomSecret()}`;
  await db.apiToken.create({
    data: {
      secret,
      username: name,
      tokenName: name,
      type: kind,
      environment: place,
      expiresAt: expiry(token.expiresInDays),
    },
  });
  return secret;
};

/** Stores a new token and answers its secret, which is shown this once only. */
export const createToken = async (db: Db, token: NewToken): Promise<string> => {
  const name = token.name.trim();
  if (name === '' || name.length > 255 || name.includes('\0') || !name.isWellFormed()) {
    throw new CommandRefusedError('A token needs a name of 1 to 255 characters.');
  }
  const named = { ...token, name };
  return token.kind === 'personal' ? createPersonalToken(db, named) : createApiToken(db, named);
};
