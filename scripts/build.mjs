import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { alone } from './alone.mjs';
import { generate, isGeneratedStale } from './generate.mjs';
import { isStale, root } from './stale.mjs';

const STAMP = 'dist/.built';

export const build = () => {
  if (isGeneratedStale()) generate();
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

const isBuildStale = () =>
  isStale(STAMP, ['src', 'prisma/schema.prisma', 'tsconfig.json', 'tsconfig.build.json']);

export const buildIfStale = () => {
  if (!isBuildStale()) return;
  process.stderr.write('Building …\n');
  alone(() => {
    if (isBuildStale()) build();
  });
};

if (process.argv[1]?.endsWith('build.mjs')) alone(build);
