import type { Db, PrismaClient } from '../data/db.js';
import { createClock } from './clock.js';
import { buildHistory } from './history/build-history.js';
import { buildingBlockTables } from './tables/building-block-tables.js';
import { changeRequestTables } from './tables/change-request-tables.js';
import { featureTables } from './tables/feature-tables.js';
import { eventsTable, integrationTables } from './tables/log-tables.js';
import { peopleTables } from './tables/people-tables.js';
import { favoriteProjectsTable, projectStats, projectTables } from './tables/project-tables.js';
import { insertTable, type Table } from './tables/table.js';
import { usageTables } from './tables/usage-tables.js';
import { DEMO_TOKENS, type DemoTokens } from './tokens.js';

const MARKER = 'flaggraph.demo';
/** Constant, so that IDs derived from it are the same wherever the demo world is loaded. */
const INSTANCE_ID = '0f1a9c1e-de30-4a6b-8f5d-2c7b9e64d3a1';
const LOCK = 7_270_736;

/** The demo world requires an empty database. */
export class DemoNotEmptyError extends Error {
  override readonly name = 'DemoNotEmptyError';
}

export const isDemoLoaded = async (db: Db): Promise<boolean> =>
  (await db.setting.findFirst({ where: { name: MARKER } })) !== null;

const assertEmpty = async (db: Db): Promise<void> => {
  // A concurrent load waits here, then finds the world already loaded.
  await db.$queryRaw`select pg_advisory_xact_lock(${LOCK})::text`;
  if (await isDemoLoaded(db)) throw new DemoNotEmptyError('The demo data is already loaded.');

  const feature = await db.feature.findFirst({ select: { name: true } });
  const event = await db.event.findFirst({ select: { id: true } });
  const user = await db.user.findFirst({ select: { id: true }, where: { id: { gt: 0 } } });
  if (feature ?? event ?? user) {
    throw new DemoNotEmptyError(
      'The database already contains features, events or users. Load the demo data into an empty database.',
    );
  }
};

/** Rows are inserted with explicit IDs, so the sequences must be advanced past them. */
const moveSequences = (db: Db) => db.$queryRaw`
  select
    setval('events_id_seq', (select max(id) from events)),
    setval('users_id_seq', (select max(id) from users)),
    setval('roles_id_seq', (select max(id) from roles)),
    setval('groups_id_seq', (select max(id) from groups)),
    setval('segments_id_seq', (select max(id) from segments)),
    setval('personal_access_tokens_id_seq', (select max(id) from personal_access_tokens)),
    setval('change_requests_id_seq', (select max(id) from change_requests)),
    setval('change_request_events_id_seq', (select max(id) from change_request_events)),
    setval('change_request_approvals_id_seq', (select max(id) from change_request_approvals)),
    setval('addons_id_seq', (select max(id) from addons)),
    setval('integration_events_id_seq', (select max(id) from integration_events))`;

/** Fills a database that contains only its base rows, in one transaction. The same day produces the same rows. */
export const loadDemoData = async (
  db: PrismaClient,
  options: {
    now: Date;
    /** Default: the well-known tokens. */
    tokens?: DemoTokens;
    onProgress?: ((message: string) => void) | undefined;
  },
): Promise<void> => {
  const clock = createClock(options.now);
  const history = buildHistory(clock);
  const sections: [title: string, tables: Table[]][] = [
    [
      'projects and people',
      [
        ...projectTables(clock, history),
        ...peopleTables(clock, options.tokens ?? DEMO_TOKENS),
        favoriteProjectsTable(clock),
      ],
    ],
    [
      'features and their strategies',
      [...buildingBlockTables(clock), ...featureTables(clock), ...changeRequestTables(clock)],
    ],
    ['usage of features', usageTables(clock)],
    [`three months of history, ${history.length} events`, [eventsTable(history)]],
    ['integrations and their deliveries', integrationTables(clock, history)],
  ];

  await db.$transaction(
    async (tx) => {
      await assertEmpty(tx);
      for (const [title, tables] of sections) {
        options.onProgress?.(`Demo data: ${title}`);
        for (const table of tables) await insertTable(tx, table);
      }
      await tx.project.update({ where: { id: 'default' }, data: projectStats('default', clock) });
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
