import type { Db, PrismaClient } from '../data/db.js';
import { createClock } from './clock.js';
import { buildHistory } from './history/build-history.js';
import { buildingBlockTables } from './tables/building-block-tables.js';
import { featureTables } from './tables/feature-tables.js';
import { eventsTable, integrationTables } from './tables/log-tables.js';
import { peopleTables } from './tables/people-tables.js';
import { favoriteProjectsTable, projectFigures, projectTables } from './tables/project-tables.js';
import { insertTable, type Table } from './tables/table.js';

const MARKER = 'flaggraph.demo';
/** Wherever it is loaded it is the same company, so what identifies its objects is the same too. */
const INSTANCE_ID = '0f1a9c1e-de30-4a6b-8f5d-2c7b9e64d3a1';
const LOCK = 7_270_736;

/** The database is not the empty one that the demo world needs. */
export class DemoRefusedError extends Error {
  override readonly name = 'DemoRefusedError';
}

export const isDemoLoaded = async (db: Db): Promise<boolean> =>
  (await db.setting.findUnique({ where: { name: MARKER } })) !== null;

const assertEmpty = async (db: Db): Promise<void> => {
  // Whoever comes second waits here and then finds the world of the first.
  await db.$queryRaw`select pg_advisory_xact_lock(${LOCK})::text`;
  if (await isDemoLoaded(db)) throw new DemoRefusedError('The demo world is loaded already.');

  const feature = await db.feature.findFirst({ select: { name: true } });
  const event = await db.event.findFirst({ select: { id: true } });
  const user = await db.user.findFirst({ select: { id: true }, where: { id: { gt: 0 } } });
  if (feature ?? event ?? user) {
    throw new DemoRefusedError(
      'The database already holds features, events or users; the demo world goes into an empty one only.',
    );
  }
};

/** The rows brought their own ids; what is inserted next has to get higher ones. */
const moveSequences = (db: Db) => db.$queryRaw`
  select
    setval('events_id_seq', (select max(id) from events)),
    setval('users_id_seq', (select max(id) from users)),
    setval('roles_id_seq', (select max(id) from roles)),
    setval('groups_id_seq', (select max(id) from groups)),
    setval('segments_id_seq', (select max(id) from segments)),
    setval('personal_access_tokens_id_seq', (select max(id) from personal_access_tokens)),
    setval('addons_id_seq', (select max(id) from addons)),
    setval('integration_events_id_seq', (select max(id) from integration_events))`;

/**
 * Fills a database that holds nothing but its base rows with a small company, wholly or not at all.
 * The same day gives the same rows, every one of them.
 */
export const loadDemoWorld = async (
  db: PrismaClient,
  options: { now: Date; onProgress?: ((message: string) => void) | undefined },
): Promise<void> => {
  const clock = createClock(options.now);
  const history = buildHistory(clock);
  const chapters: [title: string, tables: Table[]][] = [
    [
      'projects and people',
      [...projectTables(clock, history), ...peopleTables(clock), favoriteProjectsTable(clock)],
    ],
    ['features and their strategies', [...buildingBlockTables(clock), ...featureTables(clock)]],
    [`three months of history, ${history.length} events`, [eventsTable(history)]],
    ['integrations and what they delivered', integrationTables(clock, history)],
  ];

  await db.$transaction(
    async (tx) => {
      await assertEmpty(tx);
      for (const [title, tables] of chapters) {
        options.onProgress?.(`Demo world: ${title}`);
        for (const table of tables) await insertTable(tx, table);
      }
      await tx.project.update({ where: { id: 'default' }, data: projectFigures('default', clock) });
      await moveSequences(tx);
      await tx.setting.upsert({
        where: { name: 'instanceInfo' },
        create: { name: 'instanceInfo', content: { id: INSTANCE_ID } },
        update: { content: { id: INSTANCE_ID } },
      });
      await tx.setting.create({
        data: { name: MARKER, content: { day: clock.today.toISOString() } },
      });
    },
    { maxWait: 30_000, timeout: 120_000 },
  );
};
