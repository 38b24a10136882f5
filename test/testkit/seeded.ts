import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../src/data/connect.js';
import type { PrismaClient } from '../../src/data/db.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { type Gateway, startGateway } from './app.js';
import { describeOnBothDatabases } from './database.js';

export type SeededWorld = {
  gateway: () => Gateway;
  database: () => Database;
  /** The SQL statements sent while something is done, those of the token check included. */
  statementsOf: (work: () => Promise<unknown>) => Promise<string[]>;
  kind: Database['kind'];
};

/** Lets the gateway's usual admin token in, where the demo world has not been loaded. */
export const addAdminToken = async (client: PrismaClient): Promise<void> => {
  const data = { secret: DEMO_TOKENS.admin, username: 'admin-token', type: 'admin' };
  await client.apiToken.create({ data });
};

/** A personal token, and the user it belongs to. */
export const addUser = async (
  client: PrismaClient,
  user: { id: number; name?: string; username?: string; email?: string; isService?: boolean },
): Promise<string> => {
  await client.user.create({ data: user });
  const secret = `user:token-of-${user.id}`;
  await client.personalAccessToken.create({
    data: { secret, userId: user.id, expiresAt: new Date('2099-01-01T00:00:00Z') },
  });
  return secret;
};

/** Runs a suite on both databases, each with rows of the suite's own and a gateway in front of it. */
export const describeSeededOnBothDatabases = (
  name: string,
  seed: (client: PrismaClient) => Promise<unknown>,
  define: (world: SeededWorld) => void,
  settings: Record<string, string> = {},
): void => {
  describeOnBothDatabases(name, (open, kind) => {
    const statements: string[] = [];
    let database: Database | undefined;
    let gateway: Gateway | undefined;
    const present = <Value>(value: Value | undefined): Value => {
      if (value === undefined) throw new Error('The gateway has not been started yet.');
      return value;
    };

    beforeAll(async () => {
      database = await open({ onQuery: (sql) => statements.push(sql) });
      await addAdminToken(database.client);
      await seed(database.client);
      gateway = await startGateway(database, settings);
    });
    afterAll(async () => {
      await gateway?.stop();
    });

    define({
      gateway: () => present(gateway),
      database: () => present(database),
      statementsOf: async (work) => {
        statements.length = 0;
        await work();
        return [...statements];
      },
      kind,
    });
  });
};
