import { type Database, openDatabase } from '../../src/data/connect.js';
import { UNLEASH_VERSIONS } from '../../src/data/doctor/unleash-version.js';
import { type Gateway, startGateway } from './app.js';
import { convertToUnleash } from './attach.js';
import { createMigratedDatabase } from './database.js';

export type AttachedGateway = {
  url: string;
  database: Database;
  gateway: Gateway;
  /** The SQL statements sent so far. */
  statements: string[];
  close(): Promise<void>;
};

/** A gateway on a PostgreSQL database of an Unleash version, filled beforehand. */
export const attachGateway = async (
  fill: (client: Database['client']) => Promise<unknown>,
  {
    version = '6.6',
    settings = {},
    consoleFolder,
  }: {
    version?: (typeof UNLEASH_VERSIONS)[number]['version'];
    settings?: Record<string, string>;
    consoleFolder?: URL;
  } = {},
): Promise<AttachedGateway> => {
  const { url, drop } = await createMigratedDatabase();
  const filling = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  await fill(filling.client);
  await filling.close();
  const { lastMigration } = UNLEASH_VERSIONS.find((known) => known.version === version) ?? {};
  await convertToUnleash(url, lastMigration === undefined ? [] : [lastMigration]);

  const statements: string[] = [];
  const database = await openDatabase({
    dataDir: 'memory://',
    databaseUrl: url,
    onQuery: (sql) => statements.push(sql),
  });
  const gateway = await startGateway(database, settings, {
    hasDemo: false,
    ...(consoleFolder && { consoleFolder }),
  });
  return {
    url,
    database,
    gateway,
    statements,
    close: async () => {
      await gateway.stop();
      await database.close();
      await drop();
    },
  };
};
