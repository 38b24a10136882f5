import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { generateIfStale } from './generate.mjs';
import { isStale, root } from './stale.mjs';

const STAMP = 'dist/.built';

export const build = () => {
  generateIfStale();
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { status } = spawnSync(
    process.execPath,
    [join(typescript, 'bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(join(root, STAMP), '');
};

export const buildIfStale = () => {
  const sources = ['src', 'prisma/schema.prisma', 'tsconfig.json', 'tsconfig.build.json'];
  if (!isStale(STAMP, sources)) return;
  process.stderr.write('Building …\n');
  build();
};

if (process.argv[1]?.endsWith('build.mjs')) build();
