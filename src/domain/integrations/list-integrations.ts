import type { Db, Prisma } from '../../data/db.js';
import type { Actor } from '../actor.js';
import { NotFoundError } from '../errors.js';

/** What the caller wants of an integration; its parameters hold secrets and are never among it. */
type Query = { select?: Prisma.IntegrationSelect; include?: Prisma.IntegrationInclude };

/** All integration configurations. */
export const listIntegrations = async (db: Db, actor: Actor, query: Query) => {
  actor.require('ADMIN');

  return db.integration.findMany({ ...query, orderBy: { id: 'asc' } });
};

/** One integration configuration, or null. */
export const findIntegration = async (db: Db, actor: Actor, id: number, query: Query) => {
  actor.require('ADMIN');

  return db.integration.findUnique({ ...query, where: { id } });
};

/** Makes sure that an integration exists. */
export const assertIntegration = async (db: Db, actor: Actor, id: number): Promise<void> => {
  const found = await findIntegration(db, actor, id, { select: { id: true } });
  if (!found) throw NotFoundError.of('Integration', id);
};
