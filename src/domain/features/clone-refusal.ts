import { readAccess } from '../../data/access.js';
import { obstaclesOf } from '../../data/access-words.js';
import type { PrismaClient } from '../../data/db.js';
import { mapOfTables } from '../../data/layout.js';
import type { OptionalNeed } from '../../data/needs.js';
import { prismaSession } from '../../data/sql-session.js';
import { NoAccessError } from '../errors.js';
import type { CloneAspect } from './clone-feature-input.js';

/** What is written for each part that must be asked for; whoever never asks needs no right to it. */
const NEEDS: Readonly<Record<CloneAspect, OptionalNeed>> = {
  TAGS: {
    table: 'feature_tag',
    columns: ['feature_name', 'tag_type', 'tag_value', 'created_by_user_id'],
    rights: ['INSERT'],
  },
  FAVORITE: { table: 'favorite_features', columns: ['feature', 'user_id'], rights: ['INSERT'] },
};

/**
 * Why the database lets nobody clone through this gateway, or null when it would. Asked anew each time: rights are
 * granted and replicas promoted while the gateway runs.
 */
export const cloneRefusal = async (
  db: PrismaClient,
  include: readonly CloneAspect[] = [],
): Promise<NoAccessError | null> => {
  const access = await readAccess(prismaSession(db), mapOfTables(db), {
    cloneFeature: include.map((aspect) => NEEDS[aspect]),
  });
  const obstacles = obstaclesOf(access, 'cloneFeature');
  if (obstacles.length === 0) return null;
  return new NoAccessError(`This gateway cannot clone features: ${obstacles.join('; ')}.`);
};
