import type { PrismaClient } from '../../src/data/db.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { describeWithGateway, type World } from './app.js';
import type { OpenDatabase } from './database.js';
import { type Seed, seed, tokenOf, type UserSpec } from './seed.js';

/** Adds the usual admin token when the demo world is not loaded. */
export const addAdminToken = (client: PrismaClient): Promise<void> =>
  seed(client, {
    apiTokens: [{ secret: DEMO_TOKENS.admin, username: 'admin-token', type: 'admin' }],
  });

/** A personal token, and its user. */
export const addUser = async (
  client: PrismaClient,
  user: Omit<UserSpec, 'token'>,
): Promise<string> => {
  await seed(client, { users: [user] });
  return tokenOf(user.id);
};

/** Runs a suite with its own rows and a gateway. */
export const describeWithRows = (
  name: string,
  rows: Seed | ((client: PrismaClient) => Promise<unknown>),
  define: (world: World) => void,
  settings: Record<string, string> = {},
): void => {
  const prepare = async (open: OpenDatabase) => {
    const database = await open();
    await addAdminToken(database.client);
    await (typeof rows === 'function' ? rows(database.client) : seed(database.client, rows));
    return database;
  };
  describeWithGateway(name, prepare, define, settings);
};
