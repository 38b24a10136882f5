import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build.mjs';
import { root } from './stale.mjs';

const installMissing = (folder, needed) => {
  const isThere = (dependency) =>
    existsSync(join(folder, 'node_modules', dependency, 'package.json'));
  if (needed.every(isThere)) return;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
};

/**
 * Runs what has a folder and packages of its own: installs those it lacks, builds the gateway when it is stale, starts.
 * Who asks for help waits for none of that: `src/help.ts` needs neither.
 */
export const runBeside = (name, needed) => {
  const folder = join(root, name);
  const args = process.argv.slice(2);
  const isHelp = args.includes('--help');
  if (!isHelp) {
    installMissing(folder, needed);
    buildIfStale();
  }

  const runner = spawn(
    process.execPath,
    ['--import', 'tsx', join(folder, 'src', isHelp ? 'help.ts' : 'main.ts'), ...args],
    { cwd: root, stdio: 'inherit' },
  );
  // The runner ends its servers first; a terminal sends it the signal by itself.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => runner.kill('SIGTERM'));
  runner.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
};
