import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { report } from './report.mjs';

const POSTGRES = '/usr/lib/postgresql';
// Servers that are not on the PATH of every account.
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

export const isOnPath = (program) =>
  [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS].some((folder) =>
    existsSync(join(folder, program)),
  );
const hasPostgres = () =>
  existsSync(POSTGRES) &&
  readdirSync(POSTGRES).some((version) => existsSync(join(POSTGRES, version, 'bin/postgres')));

/** Programs that tests and tools start, with the Debian package of each. */
const PROGRAMS = {
  caddy: { debian: 'caddy' },
  curl: { debian: 'curl' },
  fish: { debian: 'fish' },
  go: { debian: 'golang-go' },
  haproxy: { debian: 'haproxy' },
  nginx: { debian: 'nginx-light' },
  openssl: { debian: 'openssl' },
  pgbouncer: { debian: 'pgbouncer' },
  postgres: { debian: 'postgresql', isThere: hasPostgres },
  python3: { debian: 'python3' },
  zsh: { debian: 'zsh' },
};

export const isRootOnDebian = () =>
  process.getuid?.() === 0 &&
  existsSync('/etc/os-release') &&
  /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

export const run = (command, args) => {
  const { status } = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status !== 0) process.exit(status ?? 1);
};

export const installDebianPackages = (packages) => {
  report(`Installing ${packages.join(', ')} …`);
  run('apt-get', ['update']);
  run('apt-get', ['install', '-y', '--no-install-recommends', ...packages]);
};

const isAvailable = (name) => PROGRAMS[name].isThere?.() ?? isOnPath(name);

/** Installs missing programs as root on Debian. Elsewhere, exits with the list of what to install. */
export const installPrograms = (names) => {
  const missing = names.filter((name) => !isAvailable(name));
  if (missing.length === 0) return;
  const packages = missing.map((name) => PROGRAMS[name].debian);
  if (isRootOnDebian()) return installDebianPackages(packages);
  report(
    `Missing programs: ${missing.join(', ')}. Install them (on Debian: apt-get install ${packages.join(' ')}).`,
  );
  process.exit(1);
};
