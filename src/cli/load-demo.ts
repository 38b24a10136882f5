import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { loadDemoData } from '../demo/load-demo-data.js';
import { DEMO_TOKENS, makeDemoTokens } from '../demo/tokens.js';
import { CommandError } from './command-error.js';
import { processTerminal, type Terminal } from './terminal.js';
import { withDatabase } from './with-database.js';

const HELP = `
Loads into the database in DATABASE_URL, else into the embedded one in DATA_DIR.

Example:
  $ DATABASE_URL=postgresql://me@127.0.0.1/demo flaggraph demo`;

/** `flaggraph demo`: loads the demo data into an empty database of ours. */
export const demoCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('demo')
    .description('Load the demo data into an empty database that the gateway owns.')
    .addHelpText('after', HELP);
  command.action(() =>
    withDatabase(command, { env, migrate: true, onProgress: print }, async (database) => {
      if (database.ownership === 'unleash') {
        throw new CommandError(
          'Unleash owns this database. Set DATABASE_URL to an empty database, or unset it to use the embedded one.',
        );
      }

      // The public demo tokens are rejected on a PostgreSQL server.
      const tokens =
        database.kind === 'embedded'
          ? DEMO_TOKENS
          : makeDemoTokens(randomBytes(32).toString('hex'));
      await loadDemoData(database.client, { now: new Date(), tokens, onProgress: print });
      print('Done. Tokens of the demo data:');
      print(`  admin   ${tokens.admin}`);
      print(`  viewer  ${tokens.viewer}`);
    }),
  );
  return command;
};
