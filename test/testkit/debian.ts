import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const INSTALL_LIMIT_MS = 300_000;
const ATTEMPTS = 10;
const PAUSE_MS = 6_000;

export const isRootOnDebian = (): boolean =>
  process.getuid?.() === 0 &&
  existsSync('/etc/os-release') &&
  /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

const install = async (name: string): Promise<void> => {
  const options = {
    timeout: INSTALL_LIMIT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  };
  await run('apt-get', ['update'], options);
  await run('apt-get', ['install', '-y', '--no-install-recommends', name], options);
};

const isLocked = (error: unknown) => error instanceof Error && /lock/i.test(error.message);

/** Installs one of Debian's packages; another test may be installing at the same moment, and only one can. */
export const installFromDebian = async (name: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await install(name);
    } catch (error) {
      if (attempt === ATTEMPTS || !isLocked(error)) throw error;
      await delay(PAUSE_MS);
    }
  }
};
