import type { Databases } from './databases.js';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.js';
import { type Original, startOriginal } from './original.js';
import { fillDatabase } from './world/filled-database.js';
import { openSql, type Sql } from './world/sql.js';
import type { World } from './world/world.js';

/** Both sides of a comparison, each on a database of its own that holds the same world. */
export type Sides = {
  version: string;
  world: World;
  original: Original;
  /** On the original's database too; personal tokens are not held to project default. */
  unrestricted: Original;
  gateway: Gateway;
  originalSql: Sql;
  gatewaySql: Sql;
  /** Addresses of the two databases. */
  urls: { original: string; gateway: string };
  stop(): Promise<void>;
};

export type SidesOptions = {
  gateway?: Pick<GatewayOptions, 'program'>;
  tell?: (message: string) => void;
};

/** Limits both sides obey; that of features is low enough to be reached. */
const LIMITS = { UNLEASH_FEATURE_FLAGS_LIMIT: '1000' };

export const startSides = async (
  databases: Databases,
  version: string,
  { gateway: gatewayOptions = {}, tell = () => undefined }: SidesOptions,
): Promise<Sides> => {
  const { url, world } = await fillDatabase(databases, version, { tell });
  const copy = await databases.copy(url, `copy_${version.replaceAll('.', '_')}`);

  tell('Starting both sides');
  const options = { announces: false, env: LIMITS };
  const [original, gateway] = await Promise.all([
    // One after the other: both look at the migrations first.
    startOriginal(version, url, options),
    startGateway(copy, { ...gatewayOptions, env: LIMITS }),
  ]);
  const unrestricted = await startOriginal(version, url, { ...options, isOpenSource: false });
  const [originalSql, gatewaySql] = await Promise.all([openSql(url), openSql(copy)]);
  return {
    version,
    world,
    original,
    unrestricted,
    gateway,
    originalSql,
    gatewaySql,
    urls: { original: url, gateway: copy },
    stop: async () => {
      await Promise.all([originalSql.close(), gatewaySql.close()]);
      await Promise.all([original.stop(), unrestricted.stop(), gateway.stop()]);
    },
  };
};
