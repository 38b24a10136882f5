import { freePort } from '../../../test/testkit/free-port.js';
import { type Gateway, startGateway } from '../gateway.js';
import { ADMIN_TOKEN, startUpstream, type Upstream } from '../upstream.js';
import type { FilledDatabase } from '../world/filled-database.js';
import type { Sink } from '../world/integrations.js';
import { resumeBackgroundWork } from '../world/pause-background-work.js';
import { openSql, type Sql } from '../world/sql.js';
import type { World } from '../world/world.js';
import { type Deliveries, readDeliveries } from './deliveries.js';
import { cloneByRest } from './requests.js';
import { createUpstreamApi, type UpstreamApi } from './upstream-api.js';

/** Upstream with all its background work, and the gateway, on one database. */
export type Stage = {
  version: string;
  world: World;
  sql: Sql;
  /** Upstream's admin API. */
  api: UpstreamApi;
  gateway: Gateway;
  sink: Sink;
  deliveries: Deliveries;
  /** Later timestamps are new. */
  since: string;
  /** Authorization header of one of the world's callers. */
  as(caller: string): string;
  upstream(): Upstream;
  /** Restarts upstream at the same address after it was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Has everything that a clone copies. */
export const FULL_SOURCE = 'beside-whole';

/** Different enough to detect a mixture of two. */
export const SOURCES = [FULL_SOURCE, 'rich', 'many-strategies', 'child-on', 'edited'] as const;

/** The name of a copy that upstream made without concurrent requests. */
export const referenceOf = (source: string) => `beside-reference-${source}`;

const makeSources = async (upstreamUrl: string, api: UpstreamApi): Promise<void> => {
  const clone = async (source: string, name: string) => {
    const { isCreated, text } = await cloneByRest(upstreamUrl, {
      source,
      name,
      authorization: ADMIN_TOKEN,
    });
    if (!isCreated) throw new Error(`upstream did not clone ${source}: ${text}`);
  };
  await clone('rich', FULL_SOURCE);
  const parent = { feature: 'parent', enabled: true, variants: ['v1'] };
  await api('POST', `/api/admin/projects/default/features/${FULL_SOURCE}/dependencies`, parent);
  for (const source of SOURCES) await clone(source, referenceOf(source));
};

/** Serializes queries: a connection runs one query at a time, and several watches share it. */
const serialized = (sql: Sql): Sql => {
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

/** Grants the permissions that 8.x requires in the source's environments. Permissions are not under test here. */
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
  const sql = serialized(await openSql(url));
  await resumeBackgroundWork(sql);
  await allowStrategies(sql);
  const port = await freePort();
  let upstream = await startUpstream(version, url, { port });
  const gateway = await startGateway(
    url,
    gatewayProgram === undefined ? {} : { program: gatewayProgram },
  );
  const api = createUpstreamApi(upstream.url);
  await makeSources(upstream.url, api);

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
    upstream: () => upstream,
    restart: async () => {
      upstream = await startUpstream(version, url, { port });
    },
    stop: async () => {
      await sql.close();
      await Promise.all([upstream.stop(), gateway.stop()]);
    },
  };
};
