import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { root } from './stale.mjs';

/** Runs what has a folder and packages of its own: installs those it lacks, builds the gateway when it is stale, starts. */
export const runBeside = (name, needed) => {
  const folder = join(root, name);
  const isThere = (dependency) =>
    existsSync(join(folder, 'node_modules', dependency, 'package.json'));
  if (!needed.every(isThere)) {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', ['install', ...options], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (status !== 0) process.exit(status ?? 1);
  }
  buildIfStale();

  const runner = spawn(
    process.execPath,
    ['--import', 'tsx', join(folder, 'src/main.ts'), ...process.argv.slice(2)],
    { cwd: root, stdio: 'inherit' },
  );
  // The runner ends its servers first; a terminal sends it the signal by itself.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => runner.kill('SIGTERM'));
  runner.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
};
