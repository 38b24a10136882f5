import type { Contender, Name } from './contender.js';
import type { Indexes } from './gateway.js';
import { startGateway } from './gateway.js';
import { startLimit } from './limit.js';
import { startPostgraphile } from './postgraphile.js';
import { startUnleash } from './unleash.js';

type OnProgress = (message: string) => void;

/** The recommended indexes in the database of each contender. */
export const INDEXES: Readonly<Record<Name, Indexes>> = {
  gateway: 'text',
  plain: 'plain',
  unleash: 'none',
  postgraphile: 'text',
  limit: 'text',
};

/** Starts a contender. A quiet one sends no background statements, if that can be configured. */
export const startContender = (
  name: Name,
  databaseUrl: string,
  onProgress: OnProgress,
  { isQuiet = false } = {},
): Promise<Contender> => {
  switch (name) {
    case 'gateway':
    case 'plain':
      return startGateway(databaseUrl);
    case 'unleash':
      return startUnleash(databaseUrl, onProgress, isQuiet);
    case 'postgraphile':
      return startPostgraphile(databaseUrl, onProgress);
    case 'limit':
      return startLimit(databaseUrl);
  }
};
