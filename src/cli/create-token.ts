import { randomBytes } from 'node:crypto';
import { databaseFailure } from '../data/database-failure.js';
import type { Db, Prisma, User } from '../data/db.js';
import { toPlainLine } from '../domain/plain-line.js';
import { CommandError } from './command-error.js';

export const TOKEN_KINDS = ['admin', 'client', 'frontend', 'personal'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export type NewToken = {
  kind: TokenKind;
  /** Events created with an API token record its name as the author. */
  name: string;
  /** Username, email or ID of the owner. Personal tokens only. */
  user?: string | undefined;
  /** Environment of a client or frontend token. Default `development`. */
  environment?: string | undefined;
  /** Default 365 for personal tokens, never for API tokens. */
  expiresInDays?: number | undefined;
};

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;
const DEFAULT_PERSONAL_DAYS = 365;

const randomSecret = () => randomBytes(28).toString('hex');

const expiry = (days: number | undefined): Date | null => {
  if (days === undefined) return null;
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new CommandError(
      `The lifetime of a token must be between 1 and ${MAX_DAYS} whole days (got ${days}).`,
    );
  }
  return new Date(Date.now() + days * DAY_MS);
};

const describeUser = ({ id, username, email, name }: User): string => {
  const names = [username, email, name].filter((text) => text !== null && text !== '');
  return `  ${toPlainLine(`${id} ${names.join(', ')}`)}`;
};

/** Display names are not unique, so they count only if no ID, username or email matches. */
const findOwner = async (db: Db, user: string): Promise<User> => {
  const id = /^\d{1,9}$/.test(user) ? Number(user) : -1;
  const findBy = (where: Prisma.UserWhereInput[]) =>
    db.user.findMany({
      where: { OR: where, deletedAt: null, isSystem: false },
      orderBy: { id: 'asc' },
    });
  const exact = await findBy([{ id }, { username: user }, { email: user.toLowerCase() }]);
  const found = exact.length > 0 ? exact : await findBy([{ name: user }]);
  const [owner, ...others] = found;
  if (!owner) {
    throw new CommandError(
      `There is no user '${user}'. Pass a username, email or user ID to --user.`,
    );
  }
  if (others.length > 0) {
    throw new CommandError(
      `'${user}' matches several users. Pass one of these IDs or emails to --user:\n${found.map(describeUser).join('\n')}`,
    );
  }
  return owner;
};

const createPersonalToken = async (db: Db, token: NewToken): Promise<string> => {
  if (token.user === undefined)
    throw new CommandError(
      'A personal token requires an owner: pass --user with a username, email or ID.',
    );

  const expiresAt = expiry(token.expiresInDays ?? DEFAULT_PERSONAL_DAYS) as Date;
  const { id } = await findOwner(db, token.user);
  const duplicates = await db.personalAccessToken.count({
    where: { userId: id, description: token.name },
  });
  if (duplicates > 0) {
    throw new CommandError(
      `'${token.user}' already has a token named '${token.name}'. Choose another --name.`,
    );
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
    throw new CommandError(
      'This Unleash version stores personal tokens in a format that the gateway can only read. Create the token in Unleash.',
    );
  }
};

const assertEnvironment = async (db: Db, name: string): Promise<void> => {
  const known = await db.environment.findMany({ orderBy: { sortOrder: 'asc' } });
  if (known.some((environment) => environment.name === name)) return;
  const names = known.map((environment) => environment.name).join(', ');
  throw new CommandError(`There is no environment '${name}'. Environments: ${names}.`);
};

const createApiToken = async (db: Db, token: NewToken): Promise<string> => {
  const { kind, name, user, environment } = token;
  if (user !== undefined) {
    throw new CommandError('--user applies to personal tokens only; API tokens have no owner.');
  }
  if (kind === 'admin' && environment !== undefined) {
    throw new CommandError('Admin tokens are valid in all environments: omit --environment.');
  }

  const scope = kind === 'admin' ? null : (environment ?? 'development');
  if (scope !== null) await assertEnvironment(db, scope);
  const secret = `*:${scope ?? '*'}.${randomSecret()}`;
  await db.apiToken.create({
    data: {
      secret,
      username: name,
      tokenName: name,
      type: kind,
      environment: scope,
      expiresAt: expiry(token.expiresInDays),
    },
  });
  return secret;
};

/** Stores a new token and returns its secret, which is shown only once. */
export const createToken = async (db: Db, token: NewToken): Promise<string> => {
  const name = token.name.trim();
  if (name === '' || name.length > 255) {
    throw new CommandError('--name must have 1 to 255 characters.');
  }
  // Token names appear in terminals and logs, which interpret control characters.
  if (toPlainLine(name) !== name.replace(/ +/g, ' ')) {
    throw new CommandError(
      '--name must be a single line without control characters and direction marks.',
    );
  }
  const trimmed = { ...token, name };
  return token.kind === 'personal' ? createPersonalToken(db, trimmed) : createApiToken(db, trimmed);
};
