import { randomBytes } from 'node:crypto';
import { Argument, Command, InvalidArgumentError } from 'commander';
import type { Database } from '../data/connect.js';
import type { Db, User } from '../data/db.js';
import { CommandRefusedError, onDatabase, processTerminal, type Terminal } from './load-demo.js';

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
  const namesake = await db.personalAccessToken.findFirst({
    where: { userId: id, description: token.name },
  });
  if (namesake) {
    throw new CommandRefusedError(`'${token.user}' already has a token called '${token.name}'.`);
  }

  const secret = `user:${randomSecret()}`;
  await db.personalAccessToken.create({
    data: { secret, description: token.name, userId: id, expiresAt },
  });
  return secret;
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

const refuseForeign = ({ ownership }: Database, isAllowed: boolean | undefined): void => {
  if (ownership === 'ours' || isAllowed) return;
  throw new CommandRefusedError(
    'This database belongs to another service, which has tokens and rules of its own. Make the token there, or say --allow-foreign-database if you mean it.',
  );
};

const table = (tokens: readonly ListedToken[]): string[] => {
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

const days = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a whole number of days.');
  return Number(text);
};

type Shared = { json?: boolean; allowForeignDatabase?: boolean };
type CreateOptions = Shared & {
  name: string;
  user?: string;
  environment?: string;
  expiresInDays?: number;
};

const subcommand = (parent: Command, name: string, description: string) =>
  parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON instead of text')
    .option('--allow-foreign-database', 'work on a database that another service keeps');

/** `flaggraph token`: makes and lists the tokens of the database the settings name. */
export const tokenCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('token').description('make and list tokens');

  const create = subcommand(command, 'create', 'make a token and print its secret, this once only')
    .addArgument(new Argument('<kind>', 'what the token is for').choices([...TOKEN_KINDS]))
    .requiredOption('--name <name>', 'what the token is called')
    .option('--user <user>', 'owner of a personal token: user name, e-mail or number')
    .option(
      '--environment <name>',
      'environment of a client or frontend token (default: development)',
    )
    .option(
      '--expires-in-days <days>',
      'default: 365 for personal tokens, never for the others',
      days,
    );
  create.action((kind: TokenKind, { json, allowForeignDatabase, ...options }: CreateOptions) =>
    onDatabase(create, { env, migrate: false }, async (database) => {
      refuseForeign(database, allowForeignDatabase);
      const secret = await createToken(database.client, { kind, ...options });
      print(json ? JSON.stringify({ secret }) : secret);
    }),
  );

  const list = subcommand(command, 'list', 'list all tokens, without their secrets');
  list.action(({ json, allowForeignDatabase }: Shared) =>
    onDatabase(list, { env, migrate: false }, async (database) => {
      refuseForeign(database, allowForeignDatabase);
      const tokens = await listTokens(database.client);
      if (json) print(JSON.stringify(tokens, null, 2));
      else for (const line of table(tokens)) print(line);
    }),
  );
  return command;
};
