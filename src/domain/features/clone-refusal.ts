import type { PrismaClient } from '../../data/db.js';
import { readAccess } from '../../data/layout/access.js';
import { obstaclesOf } from '../../data/layout/access-messages.js';
import { tableOf } from '../../data/layout/layout.js';
import { CLONE_INCLUDE_REQUIREMENTS } from '../../data/layout/requirements.js';
import { prismaSession } from '../../data/sql-session.js';
import { NoAccessError } from '../errors.js';
import type { CloneAspect } from './clone-feature-input.js';

/**
 * Why the database rejects every clone through this gateway; null if it does not. Not cached: permissions are granted
 * and replicas promoted while the gateway runs.
 */
export const cloneRefusal = async (
  db: PrismaClient,
  include: readonly CloneAspect[] = [],
): Promise<NoAccessError | null> => {
  const access = await readAccess(prismaSession(db), tableOf, {
    cloneFeature: include.map((aspect) => CLONE_INCLUDE_REQUIREMENTS[aspect]),
  });
  const obstacles = obstaclesOf(access, 'cloneFeature');
  if (obstacles.length === 0) return null;
  return new NoAccessError(`This gateway cannot clone features: ${obstacles.join('; ')}.`);
};
