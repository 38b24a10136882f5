import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

// `npm pack --dry-run` passes its option to the scripts it runs, but these need the packages to be installed.
const OPTIONS = ['--no-dry-run', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const isInstalled = (folder) => {
  // npm writes this file last.
  const installed = join(root, folder, 'node_modules/.package-lock.json');
  const lockFile = join(root, folder, 'package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs;
};

/** Installs the locked packages of a folder that has its own package.json, unless they are installed. */
export const installFolder = (folder) => {
  if (isInstalled(folder)) return;
  report(`Installing the packages of ${folder}/ …`);
  const { status } = spawnSync('npm', ['ci', ...OPTIONS], {
    cwd: join(root, folder),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
};
