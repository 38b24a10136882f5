import type { Db, Prisma } from '../../data/db.js';
import { indexBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { NotFoundError } from '../errors.js';
import { requireAdmin } from './require-admin.js';

/** What the caller wants of an integration; its parameters hold secrets and are never among it. */
type Query = { select?: Prisma.IntegrationSelect; include?: Prisma.IntegrationInclude };

/** All integration configurations. */
export const listIntegrations = async (db: Db, actor: Actor, query: Query) => {
  requireAdmin(actor);

  return db.integration.findMany({ ...query, orderBy: { id: 'asc' } });
};

/** One integration configuration, or null. */
export const findIntegration = async (db: Db, actor: Actor, id: number, query: Query) => {
  requireAdmin(actor);

  return db.integration.findUnique({ ...query, where: { id } });
};

// Not the parameters: they hold secrets.
const SHOWN = {
  id: true,
  provider: true,
  description: true,
  enabled: true,
  createdAt: true,
  events: true,
  projects: true,
  environments: true,
} as const satisfies Prisma.IntegrationSelect;

export type IntegrationRow = Prisma.IntegrationGetPayload<{ select: typeof SHOWN }>;

/** Integration configurations by their numbers; those that are not there are missing. */
export const findIntegrations = async (
  db: Db,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, IntegrationRow>> => {
  requireAdmin(actor);

  const rows = await db.integration.findMany({ where: { id: { in: [...ids] } }, select: SHOWN });
  return indexBy(rows, ({ id }) => id);
};

/** Makes sure that an integration exists. */
export const assertIntegration = async (db: Db, actor: Actor, id: number): Promise<void> => {
  const found = await findIntegration(db, actor, id, { select: { id: true } });
  if (!found) throw NotFoundError.of('Integration', id);
};
