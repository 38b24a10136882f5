// `npm run client` builds and packs @flaggraph/client. --check only builds it, which checks its types;
// --for-tests and --for-examples put it where these import it.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from './install-folder.mjs';
import { isStale, root } from './is-stale.mjs';
import { report } from './report.mjs';

const FOLDER = join(root, 'client');
const SOURCES = [
  'client/src',
  'client/documents',
  'client/scripts',
  'client/package.json',
  'schema.graphql',
];

const run = (command, args) => {
  const { status } = spawnSync(command, args, {
    cwd: FOLDER,
    stdio: ['ignore', 1, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
};

/** Installs the packages of `client/` and builds it. */
export const buildClient = () => {
  installFolder('client');
  if (!isStale('client/dist/index.js', SOURCES)) return;
  report('Building the client …');
  run(process.execPath, ['scripts/build.mjs']);
};

/** Puts the built client where npm would install it: a link would use the packages of `client/`. */
export const installClient = (folder) => {
  buildClient();
  const target = join(root, folder, 'node_modules/@flaggraph/client');
  rmSync(target, { recursive: true, force: true });
  for (const name of ['package.json', 'schema.graphql', 'documents', 'dist']) {
    cpSync(join(FOLDER, name), join(target, name), { recursive: true });
  }
};

if (process.argv[1]?.endsWith('client.mjs')) {
  if (process.argv.includes('--for-tests')) installClient('test/e2e/clients');
  else if (process.argv.includes('--for-examples')) installClient('examples');
  else if (process.argv.includes('--check')) buildClient();
  else {
    buildClient();
    run('npm', ['pack', '--ignore-scripts']);
  }
}
