import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installFolder } from './install-folder.mjs';
import { root } from './is-stale.mjs';
import { report } from './report.mjs';

const SITE = join(root, 'site');
const BUILT = join(SITE, 'dist');
const SERVED = join(root, 'dist/docs');

/** Copies the built documentation to where the gateway serves it from. Does nothing if it is not built. */
export const copyDocs = () => {
  if (!existsSync(join(BUILT, 'script-hashes.json'))) return;
  rmSync(SERVED, { recursive: true, force: true });
  cpSync(BUILT, SERVED, { recursive: true });
};

/** Builds the documentation, with the packages of `site/`. */
export const buildDocs = () => {
  installFolder('site');
  report('Building the documentation …');
  const { status } = spawnSync(process.execPath, ['src/build.mjs'], {
    cwd: SITE,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
  copyDocs();
};

if (process.argv[1]?.endsWith('docs.mjs')) buildDocs();
