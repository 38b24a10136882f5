// Installs what the benchmarks need, builds the gateway when it is stale, and starts them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../scripts/build.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const needed = ['autocannon', 'postgraphile'];

if (!needed.every((name) => existsSync(join(here, 'node_modules', name, 'package.json')))) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options], {
    cwd: here,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}
buildIfStale();

const runner = spawn(
  process.execPath,
  ['--import', 'tsx', join(here, 'src/main.ts'), ...process.argv.slice(2)],
  { cwd: join(here, '..'), stdio: 'inherit' },
);
// The runner ends its servers first; a terminal sends it the signal by itself.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => runner.kill('SIGTERM'));
runner.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
