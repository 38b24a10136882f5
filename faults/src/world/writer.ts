import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../servers/postgres.js';

/** Events as Unleash records them. The sequence assigns the ID on insert, before the commit. */
const INSERT = `insert into events (type, created_by, created_by_user_id, data, tags, project, feature_name, ip)
  values ('feature-updated', 'user2@example.com', 2, json_build_object('name', 'written', 'mark', $1::text), '[]',
    'payments', 'written', '10.0.0.1')`;

export type Writer = { stop(): Promise<void> };

/**
 * Writes events until stopped, each with a unique mark, some in transactions that stay open briefly. Reconnects to the
 * current primary after an error.
 */
export const startWriter = (urlNow: () => string, label: string, everyMs: number): Writer => {
  let isStopped = false;
  let count = 0;

  const write = async (client: pg.Client): Promise<void> => {
    count += 1;
    const mark = `${label}-${count}`;
    if (count % 4 !== 0) {
      await client.query(INSERT, [mark]);
      return;
    }
    await client.query('begin');
    await client.query(INSERT, [mark]);
    await delay(everyMs);
    await client.query('commit');
  };

  const session = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: urlNow(),
      connectionTimeoutMillis: 2_000,
      query_timeout: 3_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!isStopped) {
        await write(client);
        await delay(everyMs);
      }
    } catch {
      await delay(100);
    } finally {
      await Promise.race([client.end().catch(() => undefined), delay(500)]);
    }
  };

  const loop = (async () => {
    while (!isStopped) await session();
  })();
  return {
    stop: async () => {
      isStopped = true;
      await loop;
    },
  };
};

/** Marks of committed events by writers whose label has this prefix, in order. */
export const committedMarks = async (
  server: PostgresServer,
  database: string,
  label = '',
): Promise<string[]> => {
  const rows = await server.query<{ mark: string }>(
    database,
    `select data->>'mark' as mark from events where data->>'mark' like $1 order by id`,
    [`${label}%`],
  );
  return rows.map(({ mark }) => mark);
};
