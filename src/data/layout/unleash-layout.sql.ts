import { databaseFailure } from '../database-failure.js';
import type { Prisma, PrismaClient } from '../db.js';
import { UNLEASH_VERSIONS } from '../doctor/unleash-version.js';
import { TABLES } from '../generated/tables.js';
import { createSingleFlight, responseTimeout, withTimeout } from '../work/single-flight.js';
import { OPTIONAL_TABLES } from './requirements.js';

/** What responses and permissions depend on in the Unleash version that owns the database. */
export type UnleashLayout = {
  /** Major version of Unleash. 6 if the gateway created the tables itself. */
  major: 6 | 7 | 8;
  /** Events have `group_type` and `group_id`: since 7.x, and in the gateway's own tables. */
  hasEventGroups: boolean;
  /** `unleash_session` exists. */
  hasSessions: boolean;
  /** The tables that only some fields of the graph need. */
  hasFeatureUsage: boolean;
  hasReleasePlans: boolean;
  hasChangeRequests: boolean;
};

export type UnleashLayoutReader = {
  /** Cached for a few seconds. */
  current(): Promise<UnleashLayout>;
  /** Uncached, for decisions that must not lag behind an upgrade of Unleash. */
  fresh(): Promise<UnleashLayout>;
};

const MAX_AGE_MS = 5_000;

/** Last migration of the newest minor of a major version. */
const lastOf = (version: '6.10' | '7.6'): string =>
  UNLEASH_VERSIONS.find((known) => known.version === version)?.lastMigration ?? '';
const LAST_OF_MAJOR = { 6: lastOf('6.10'), 7: lastOf('7.6') } as const;

const hasColumns = (table: string, columns: readonly string[]) =>
  `(SELECT count(*) = ${columns.length} FROM pg_attribute
    WHERE attrelid = to_regclass('${table}') AND NOT attisdropped
      AND attname IN (${columns.map((column) => `'${column}'`).join(', ')}))`;

/** Whether events have groups, for statements that must check at execution time. */
export const HAS_EVENT_GROUPS = hasColumns('events', ['group_type', 'group_id']);

const tablesExist = (models: readonly Prisma.ModelName[]) =>
  models.map((model) => `to_regclass('${TABLES[model].name}') IS NOT NULL`).join(' AND ');

// Reading the catalog needs no privilege on the tables themselves.
const CATALOGUE = `
  SELECT ${HAS_EVENT_GROUPS} AS "hasEventGroups",
    to_regclass('unleash_session') IS NOT NULL AS "hasSessions",
    ${tablesExist(OPTIONAL_TABLES.featureUsage)} AS "hasFeatureUsage",
    ${tablesExist(OPTIONAL_TABLES.releasePlans)} AS "hasReleasePlans",
    ${tablesExist(OPTIONAL_TABLES.changeRequests)} AS "hasChangeRequests"`;

const LAST_MIGRATION = `
  SELECT max(regexp_replace(name, '^.*/', '')) FROM migrations
  WHERE name ~ '(^|/)[0-9]{14}-'`;

const majorAt = (lastMigration: string): UnleashLayout['major'] => {
  if (lastMigration <= LAST_OF_MAJOR[6]) return 6;
  return lastMigration <= LAST_OF_MAJOR[7] ? 7 : 8;
};

type Catalogue = Omit<UnleashLayout, 'major'>;

const readCatalogue = async (client: PrismaClient): Promise<Catalogue> => {
  const [catalogue] = await client.$queryRawUnsafe<[Catalogue]>(CATALOGUE);
  return catalogue;
};

const readLayout = async (client: PrismaClient, isUnleash: boolean): Promise<UnleashLayout> => {
  if (!isUnleash) return { ...(await readCatalogue(client)), major: 6 };
  try {
    const [row] = await client.$queryRawUnsafe<[Catalogue & { last: string | null }]>(
      `${CATALOGUE}, (${LAST_MIGRATION}) AS last`,
    );
    const { last, ...catalogue } = row;
    return { ...catalogue, major: majorAt(last ?? '') };
  } catch (error) {
    // If the version can't be read, apply the strictest rules.
    if (databaseFailure(error) !== 'privilege') throw error;
    return { ...(await readCatalogue(client)), major: 8 };
  }
};

/** Rereads the layout every few seconds, because Unleash may be upgraded while the gateway runs. */
export const createUnleashLayout = (
  client: PrismaClient,
  { isUnleash, limitMs = responseTimeout() }: { isUnleash: boolean; limitMs?: number },
): UnleashLayoutReader => {
  // The gateway's own tables change only at startup, before they are read.
  const maxAgeMs = isUnleash ? MAX_AGE_MS : Number.POSITIVE_INFINITY;
  let known: { layout: UnleashLayout; until: number } | null = null;

  const read = async (): Promise<UnleashLayout> => {
    const until = performance.now() + maxAgeMs;
    const layout = await readLayout(client, isUnleash);
    if (!known || known.until < until) known = { layout, until };
    return layout;
  };
  const readOnce = createSingleFlight(read, limitMs);
  // Never joins a read in flight, which may have started before the upgrade.
  const fresh = () => withTimeout(limitMs, read());
  const current = async () =>
    known && performance.now() < known.until ? known.layout : readOnce();
  return { current, fresh: isUnleash ? fresh : current };
};
