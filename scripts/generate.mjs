// Generates the Prisma client and the Pothos types. `generate` never runs the schema engine but requires its file to
// exist, and its download is not available everywhere. Node's own binary satisfies the check.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { isStale, root } from './is-stale.mjs';
import { report } from './report.mjs';
import { withBuildLock } from './with-build-lock.mjs';

const FOLDER = 'src/data/generated';
// Written last: an interrupted run leaves no stamp, so the next one starts over.
const STAMP = `${FOLDER}/.generated`;

/** Exits with advice if the packages that generate and compile are not installed, as after `npm ci --omit=dev`. */
export const requireTools = () => {
  const missing = ['prisma', 'esbuild', '@prisma/client', '@pothos/plugin-prisma'].filter(
    (name) => !existsSync(join(root, 'node_modules', name, 'package.json')),
  );
  if (missing.length === 0) return;
  report(
    `This clone is not built, and the packages that build it are not installed (${missing.join(', ')}).\n` +
      'Run `npm ci && npm run build` first. After that, `npm prune --omit=dev` removes them again.',
  );
  process.exit(1);
};

export const generate = () => {
  requireTools();
  report('Generating the Prisma client …');
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate'], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
      PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH,
    },
  });
  if (status !== 0) {
    process.stderr.write(stdout + stderr);
    process.exit(status ?? 1);
  }
  writeFileSync(join(root, STAMP), '');
};

export const isGeneratedStale = () =>
  isStale(STAMP, ['prisma/schema.prisma', 'scripts/prisma', 'package-lock.json']);

if (process.argv[1]?.endsWith('generate.mjs')) {
  const isForced = !process.argv.includes('--if-stale');
  if (isForced || isGeneratedStale()) {
    await withBuildLock(() => {
      if (isForced || isGeneratedStale()) generate();
    });
  }
}
