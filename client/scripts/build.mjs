// Generates src/generated/, then compiles src/ to dist/.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../', import.meta.url));
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));

const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
};

run('scripts/generate.mjs');
rmSync(join(folder, 'dist'), { recursive: true, force: true });
run(join(typescript, 'bin/tsc'), '-p', '.');
