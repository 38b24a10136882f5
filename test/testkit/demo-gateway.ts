import { openDatabase } from '../../src/data/connect.js';
import { loadDemoData } from '../../src/demo/load-demo-data.js';
import { DEMO_DAY, startGateway } from './app.js';
import { embeddedTemplate } from './database.js';

/** A gateway on an embedded database with the demo world. `again` starts another one on the same database. */
export const startDemoGateway = async (settings: Record<string, string> = {}) => {
  const database = await openDatabase({
    dataDir: 'memory://',
    embeddedTemplate: embeddedTemplate(),
  });
  await loadDemoData(database.client, { now: DEMO_DAY });
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
    },
  };
};
