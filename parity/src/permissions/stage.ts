import { type Gateway, startGateway } from '../gateway.js';
import type { PartContext } from '../part.js';
import { startUpstream, type Upstream } from '../upstream.js';
import { createTables } from '../world/filled-database.js';
import { pauseBackgroundWork } from '../world/pause-background-work.js';
import { openSql, type Sql } from '../world/sql.js';
import { SESSION_SECRET } from './send.js';

/** Unleash as published, Unleash with the rules of its paid editions, and the gateway, on one database. */
export type Stage = {
  sql: Sql;
  unleash: Upstream;
  enterprise: Upstream;
  gateway: Gateway;
  stop(): Promise<void>;
};

/** The default limit of features is too low for the number of clones. */
const SETTINGS = { UNLEASH_FEATURE_FLAGS_LIMIT: '100000', UNLEASH_SECRET: SESSION_SECRET };

export const startStage = async ({
  databases,
  version,
  progress,
  gateway: program,
}: PartContext): Promise<Stage> => {
  const onProgress = (message: string) => progress.log(`${version}: ${message}`);
  const url = await createTables(databases, version, 'permissions', onProgress);
  const sql = await openSql(url);
  await pauseBackgroundWork(sql);

  onProgress('Starting Unleash in both editions and the gateway');
  const options = { announces: false, env: SETTINGS };
  // Not concurrent: both instances check the migrations first.
  const unleash = await startUpstream(version, url, options);
  const [enterprise, gateway] = await Promise.all([
    startUpstream(version, url, { ...options, isEnterprise: true }),
    startGateway(url, {
      env: { ...SETTINGS, SESSIONS: 'on' },
      ...(program !== undefined && { program }),
    }),
  ]);
  return {
    sql,
    unleash,
    enterprise,
    gateway,
    stop: async () => {
      await sql.close();
      await Promise.all([unleash.stop(), enterprise.stop(), gateway.stop()]);
    },
  };
};
