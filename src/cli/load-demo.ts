import { Command } from 'commander';
import { loadDemoWorld } from '../demo/load-demo-world.js';
import { DEMO_TOKENS } from '../demo/tokens.js';
import { CommandRefusedError, onDatabase, processTerminal, type Terminal } from './on-database.js';

/** `flaggraph demo`: fills an empty database of ours with the demo world. */
export const demoCommand = ({ env, print }: Terminal = processTerminal): Command => {
  const command = new Command('demo').description('load the demo world into an empty database');
  command.action(() =>
    onDatabase(command, { env, migrate: true, onProgress: print }, async (database) => {
      if (database.ownership === 'original') {
        throw new CommandRefusedError(
          'This database belongs to another service; the demo world goes into one of our own only.',
        );
      }

      await loadDemoWorld(database.client, { now: new Date(), onProgress: print });
      print(`Done. An admin token of the demo world: ${DEMO_TOKENS.admin}`);
    }),
  );
  return command;
};
