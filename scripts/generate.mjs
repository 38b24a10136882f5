// Generates the Prisma client and the Pothos types. `generate` never runs the schema engine but insists that its file
// exists, and its download is not to be had everywhere; Node's own binary satisfies the check.
import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { alone } from './alone.mjs';
import { isStale, root } from './stale.mjs';

const PRODUCT = 'src/data/generated/pothos.ts';

export const generate = () => {
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
  const now = new Date();
  utimesSync(join(root, PRODUCT), now, now);
};

export const isGeneratedStale = () =>
  isStale(PRODUCT, ['prisma/schema.prisma', 'package-lock.json']);

if (process.argv[1]?.endsWith('generate.mjs')) {
  const isForced = !process.argv.includes('--if-stale');
  if (isForced || isGeneratedStale()) {
    alone(() => {
      if (isForced || isGeneratedStale()) generate();
    });
  }
}
