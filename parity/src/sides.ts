import { createRole, runDoctor, runSql, type TestRole } from '../../test/testkit/attach.js';
import type { Databases } from './databases.js';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.js';
import { startUpstream, type Upstream } from './upstream.js';
import { fillDatabase } from './world/filled-database.js';
import { openSql, type Sql } from './world/sql.js';
import type { World } from './world/world.js';

/** Both sides of a comparison, each on its own database with the same world. */
export type Sides = {
  version: string;
  world: World;
  upstream: Upstream;
  /** A second upstream on upstream's database, without the restriction of personal tokens to project default. */
  unrestricted: Upstream;
  gateway: Gateway;
  upstreamSql: Sql;
  gatewaySql: Sql;
  /** URLs of the two databases. */
  urls: { upstream: string; gateway: string };
  stop(): Promise<void>;
};

export type SidesOptions = {
  gateway?: Pick<GatewayOptions, 'program'>;
  onProgress?: (message: string) => void;
};

/** Limits of both sides. The feature limit is low enough to be reached. */
const LIMITS = { UNLEASH_FEATURE_FLAGS_LIMIT: '1000' };
/** Unleash trusts the X-Forwarded-For header of every client. */
const TRUST = { TRUSTED_PROXIES: '0.0.0.0/0,::/0' };
/** Signs the session cookies. */
const SECRET = { UNLEASH_SECRET: 'a-secret-of-both-sides' };

/** A role with exactly the grants that the doctor prints, including those for sessions. */
const createGatewayRole = async (url: string): Promise<TestRole> => {
  const role = await createRole(url);
  const { text } = await runDoctor({ DATABASE_URL: url }, '--print-grants', '--role', role.name);
  await runSql(
    url,
    ...(text.match(/^(?:-- )?GRANT .*$/gm)?.map((line) => line.replace(/^-- /, '')) ?? []),
  );
  return role;
};

export const startSides = async (
  databases: Databases,
  version: string,
  { gateway: gatewayOptions = {}, onProgress = () => undefined }: SidesOptions,
): Promise<Sides> => {
  const { url, world } = await fillDatabase(databases, version, { onProgress });
  const copy = await databases.copy(url, `copy_${version.replaceAll('.', '_')}`);

  const role = await createGatewayRole(copy);

  onProgress('Starting both sides');
  const options = { announces: false, env: { ...LIMITS, ...SECRET } };
  const [upstream, gateway] = await Promise.all([
    // Not concurrent: both instances check the migrations first.
    startUpstream(version, url, options),
    startGateway(role.url, { ...gatewayOptions, env: { ...LIMITS, ...TRUST, ...SECRET } }),
  ]);
  const unrestricted = await startUpstream(version, url, { ...options, isOpenSource: false });
  const [upstreamSql, gatewaySql] = await Promise.all([openSql(url), openSql(copy)]);
  return {
    version,
    world,
    upstream,
    unrestricted,
    gateway,
    upstreamSql,
    gatewaySql,
    urls: { upstream: url, gateway: copy },
    stop: async () => {
      await Promise.all([upstreamSql.close(), gatewaySql.close()]);
      await Promise.all([upstream.stop(), unrestricted.stop(), gateway.stop()]);
      await role.drop();
    },
  };
};
