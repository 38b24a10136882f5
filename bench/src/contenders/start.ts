import type { Contender, Name } from './contender.js';
import type { Indexes } from './gateway.js';
import { startGateway } from './gateway.js';
import { startLimit } from './limit.js';
import { startTheOriginal } from './original.js';
import { startPostgraphile } from './postgraphile.js';

type Tell = (message: string) => void;

/** What each contender's database has of our indexes. */
export const INDEXES: Readonly<Record<Name, Indexes>> = {
  gateway: 'text',
  plain: 'plain',
  original: 'none',
  postgraphile: 'text',
  limit: 'text',
};

/** Starts a contender; a quiet one sends no statements of its own where it can be told not to. */
export const startContender = (
  name: Name,
  databaseUrl: string,
  tell: Tell,
  { isQuiet = false } = {},
): Promise<Contender> => {
  switch (name) {
    case 'gateway':
    case 'plain':
      return startGateway(databaseUrl);
    case 'original':
      return startTheOriginal(databaseUrl, tell, isQuiet);
    case 'postgraphile':
      return startPostgraphile(databaseUrl, tell);
    case 'limit':
      return startLimit(databaseUrl);
  }
};
