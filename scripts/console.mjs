// `npm run console` builds the console. --check only checks its types.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from './client.mjs';
import { installFolder } from './install-folder.mjs';
import { isStale, root } from './is-stale.mjs';
import { report } from './report.mjs';
import { withBuildLock } from './with-build-lock.mjs';

const FOLDER = join(root, 'console');
const BUILT = join(FOLDER, 'dist');
const SERVED = join(root, 'dist/console');
const SERVED_STAMP = 'dist/console/documents.json';
// Written last.
const STAMP = 'console/dist/documents.json';
const SOURCES = [
  'client/src',
  'console/src',
  'console/documents',
  'console/fragments',
  'console/scripts',
  'console/package.json',
  'console/vite.config.ts',
  'schema.graphql',
];

const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: FOLDER, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
};

const generate = () => {
  buildClient();
  installFolder('console');
  run('scripts/generate.mjs');
};

/** Copies the built console to where the gateway serves it from. Does nothing if it is not built. */
export const copyConsole = () => {
  if (!existsSync(join(root, STAMP))) return;
  rmSync(SERVED, { recursive: true, force: true });
  cpSync(BUILT, SERVED, { recursive: true });
};

const isConsoleStale = () => isStale(STAMP, SOURCES) || isStale(SERVED_STAMP, [STAMP]);

const build = () => {
  if (isStale(STAMP, SOURCES)) {
    generate();
    report('Building the console …');
    run('node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn');
    cpSync(join(FOLDER, 'src/generated/documents.json'), join(root, STAMP));
  }
  copyConsole();
};

export const buildConsole = async () => {
  if (!isConsoleStale()) return;
  await withBuildLock(async () => {
    if (isConsoleStale()) build();
  });
};

if (process.argv[1]?.endsWith('console.mjs')) {
  if (process.argv.includes('--check')) {
    generate();
    run('node_modules/typescript/bin/tsc', '-p', '.');
  } else await buildConsole();
}
