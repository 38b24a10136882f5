import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const POSTGRES = '/usr/lib/postgresql';

/** The folder with Debian's server programs; version 15 if there are several. */
const findPostgres = (): string | undefined => {
  if (!existsSync(POSTGRES)) return undefined;
  const versions = readdirSync(POSTGRES).sort((one, other) => Number(other) - Number(one));
  const usable = versions.filter((version) => existsSync(join(POSTGRES, version, 'bin/postgres')));
  const version = usable.includes('15') ? '15' : usable[0];
  return version && join(POSTGRES, version, 'bin');
};

export const postgresFolder = (): string => {
  const folder = findPostgres();
  if (!folder) throw new Error(`PostgreSQL not found in ${POSTGRES}.`);
  return folder;
};
