import type { Db, Prisma } from '../../data/db.js';
import { indexBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { NotFoundError } from '../errors.js';
import { requireAdmin } from './integration-access.js';

/** Never the parameters, which contain secrets. */
const INTEGRATION_COLUMNS = {
  id: true,
  provider: true,
  description: true,
  enabled: true,
  createdAt: true,
  events: true,
  projects: true,
  environments: true,
} as const satisfies Prisma.IntegrationSelect;

export type IntegrationRow = Prisma.IntegrationGetPayload<{ select: typeof INTEGRATION_COLUMNS }>;

export const listIntegrations = async (db: Db, actor: Actor): Promise<IntegrationRow[]> => {
  requireAdmin(actor);

  return db.integration.findMany({ select: INTEGRATION_COLUMNS, orderBy: { id: 'asc' } });
};

/** Integrations by ID; unknown ones are missing. */
export const findIntegrations = async (
  db: Db,
  actor: Actor,
  ids: readonly number[],
): Promise<ReadonlyMap<number, IntegrationRow>> => {
  requireAdmin(actor);

  const rows = await db.integration.findMany({
    where: { id: { in: [...ids] } },
    select: INTEGRATION_COLUMNS,
  });
  return indexBy(rows, ({ id }) => id);
};

/** Throws if the integration does not exist. */
export const assertIntegration = async (db: Db, actor: Actor, id: number): Promise<void> => {
  requireAdmin(actor);

  const found = await db.integration.findFirst({ where: { id }, select: { id: true } });
  if (!found) throw NotFoundError.of('Integration', id);
};
