import { freePort } from '../../../test/testkit/postgres.js';
import { type Gateway, startGateway } from '../gateway.js';
import { ADMIN_TOKEN, type Original, startOriginal } from '../original.js';
import type { FilledDatabase } from '../world/filled-database.js';
import type { Sink } from '../world/integrations.js';
import { openSql, type Sql } from '../world/sql.js';
import { releaseBackgroundWork } from '../world/standstill.js';
import type { World } from '../world/world.js';
import { cloneByRest } from './ask.js';
import { type Deliveries, readDeliveries } from './deliveries.js';
import { createOriginalApi, type OriginalApi } from './original-api.js';

/** The original at full work and the gateway beside it, on one database. */
export type Stage = {
  version: string;
  world: World;
  sql: Sql;
  /** The original's own API. */
  api: OriginalApi;
  gateway: Gateway;
  sink: Sink;
  deliveries: Deliveries;
  /** Everything later than this is new. */
  since: string;
  /** Authorization of one of the world's callers. */
  as(caller: string): string;
  original(): Original;
  /** Starts the original again at the same address after it was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Has a bit of everything a copy takes over. */
export const WHOLE = 'beside-whole';

/** Different enough that a mixture of two would show. */
export const SOURCES = [WHOLE, 'rich', 'many-strategies', 'child-on', 'edited'] as const;

/** A copy of a source the original made while nobody else was there. */
export const referenceOf = (source: string) => `beside-reference-${source}`;

const makeSources = async (originalUrl: string, api: OriginalApi): Promise<void> => {
  const clone = async (source: string, name: string) => {
    const { isMade, text } = await cloneByRest(originalUrl, {
      source,
      name,
      authorization: ADMIN_TOKEN,
    });
    if (!isMade) throw new Error(`the original did not clone ${source}: ${text}`);
  };
  await clone('rich', WHOLE);
  const parent = { feature: 'parent', enabled: true, variants: ['v1'] };
  await api('POST', `/api/admin/projects/default/features/${WHOLE}/dependencies`, parent);
  for (const source of SOURCES) await clone(source, referenceOf(source));
};

/** One session takes one query at a time, while several watch. */
const inTurn = (sql: Sql): Sql => {
  let last: Promise<unknown> = Promise.resolve();
  const queue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
  return {
    query: (text, values) => queue(() => sql.query(text, values)),
    one: (text, values) => queue(() => sql.one(text, values)),
    insert: (table, rows) => queue(() => sql.insert(table, rows)),
    close: () => queue(() => sql.close()),
  };
};

/** What versions of 8.x ask of a cloner in the environments of the source; D-NEW-11 is not the subject here. */
const allowStrategies = async (sql: Sql): Promise<void> => {
  await sql.query(
    `insert into role_permission (role_id, permission, environment)
     select r.id, p.name, e.name from roles r, environments e,
       (values ('CREATE_FEATURE_STRATEGY'), ('UPDATE_FEATURE_ENVIRONMENT_VARIANTS')) p (name)
     where r.name in ('Editor', 'Member') and not exists (select from role_permission h
       where h.role_id = r.id and h.permission = p.name and h.environment = e.name)`,
  );
};

export const startStage = async (
  version: string,
  { url, world }: FilledDatabase,
  sink: Sink,
  gatewayProgram: string | undefined,
): Promise<Stage> => {
  const since = new Date().toISOString();
  const sql = inTurn(await openSql(url));
  await releaseBackgroundWork(sql);
  await allowStrategies(sql);
  const port = await freePort();
  let original = await startOriginal(version, url, { port });
  const gateway = await startGateway(
    url,
    gatewayProgram === undefined ? {} : { program: gatewayProgram },
  );
  const api = createOriginalApi(original.url);
  await makeSources(original.url, api);

  return {
    version,
    world,
    sql,
    api,
    gateway,
    sink,
    deliveries: await readDeliveries(sql, sink),
    since,
    as: (caller) => world.callers[caller] ?? '',
    original: () => original,
    restart: async () => {
      original = await startOriginal(version, url, { port });
    },
    stop: async () => {
      await sql.close();
      await Promise.all([original.stop(), gateway.stop()]);
    },
  };
};
