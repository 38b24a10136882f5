import type { Progress } from '../../parity/src/progress.js';
import { openSql, type Sql } from '../../parity/src/world/sql.js';
import type { Contender, Name } from './contenders/contender.js';
import { INDEXES, startContender } from './contenders/start.js';
import type { Store } from './databases.js';

/** Running contenders, each with its own copy of one database. */
export type TestBed = {
  events: number;
  contender(name: Name): Contender;
  databaseUrl(name: Name): string;
  sql(name: Name): Sql;
  stop(): Promise<void>;
};

const SHOWN: Readonly<Record<Name, string>> = {
  gateway: 'the gateway',
  plain: 'the gateway without the index for free text',
  unleash: 'Unleash',
  postgraphile: 'PostGraphile',
  limit: 'the limit',
};

const get = <Value>(map: ReadonlyMap<Name, Value>, name: Name): Value => {
  const value = map.get(name);
  if (value === undefined) throw new Error(`${name} was not started`);
  return value;
};

export const openTestBed = async (
  store: Store,
  events: number,
  names: readonly Name[],
  progress: Progress,
): Promise<TestBed> => {
  const contenders = new Map<Name, Contender>();
  const urls = new Map<Name, string>();
  const sessions = new Map<Name, Sql>();
  const stop = async () => {
    await Promise.all([...sessions.values()].map((session) => session.close()));
    await Promise.all([...contenders.values()].map((contender) => contender.stop()));
  };

  try {
    for (const name of names) urls.set(name, await store.copy(events, name, INDEXES[name]));
    for (const name of names) {
      progress.log(`Starting ${SHOWN[name]}`);
      contenders.set(name, await startContender(name, get(urls, name), progress.log));
      const session = await openSql(get(urls, name));
      sessions.set(name, session);
      await session.query(`set statement_timeout = '5min'`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    events,
    contender: (name) => get(contenders, name),
    databaseUrl: (name) => get(urls, name),
    sql: (name) => get(sessions, name),
    stop,
  };
};
