import { openDatabase } from '../../src/data/connect.js';
import { startGateway } from './app.js';
import { createMigratedDatabase } from './database.js';

/** A gateway with the demo world. `again` starts another one on the same database. */
export const startDemoGateway = async (settings: Record<string, string> = {}) => {
  const { url, drop } = await createMigratedDatabase('demo');
  const database = await openDatabase({ dataDir: 'memory://', databaseUrl: url });
  const gateway = await startGateway(database, settings);
  const gateways = [gateway];
  return {
    gateway,
    again: async (settings: Record<string, string>) => {
      const other = await startGateway(database, settings);
      gateways.push(other);
      return other;
    },
    stop: async () => {
      for (const { stop } of gateways) await stop();
      await database.close();
      await drop();
    },
  };
};
