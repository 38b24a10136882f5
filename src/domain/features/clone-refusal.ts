import { readAccess } from '../../data/access.js';
import { obstaclesOf } from '../../data/access-words.js';
import type { PrismaClient } from '../../data/db.js';
import { mapOfTables } from '../../data/layout.js';
import { prismaSession } from '../../data/sql-session.js';
import { NoAccessError } from '../errors.js';

/**
 * Why the database lets nobody clone through this gateway, or null when it would. Asked anew each time: rights are
 * granted and replicas promoted while the gateway runs.
 */
export const cloneRefusal = async (db: PrismaClient): Promise<NoAccessError | null> => {
  const access = await readAccess(prismaSession(db), mapOfTables(db));
  const obstacles = obstaclesOf(access, 'cloneFeature');
  if (obstacles.length === 0) return null;
  return new NoAccessError(`This gateway cannot clone features: ${obstacles.join('; ')}.`);
};
