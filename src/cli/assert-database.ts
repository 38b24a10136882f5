import type { Config } from '../config/config.js';
import { hasEmbedded } from '../data/embedded/embedded.js';
import { CommandError } from './command-error.js';

/** Throws if there is neither a database URL nor an embedded database: opening it would create an empty folder. */
export const assertDatabase = ({ databaseUrl, dataDir }: Config, hint = ''): void => {
  if (databaseUrl !== undefined || hasEmbedded(dataDir)) return;
  throw new CommandError(
    `There is no embedded database in ${dataDir}. Start the gateway once, or set DATABASE_URL or DATA_DIR${hint}.`,
  );
};
