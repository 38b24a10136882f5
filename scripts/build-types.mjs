// Writes dist/index.d.ts. It must not import anything: the declarations of bundled packages are not installed.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './is-stale.mjs';

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const folder = mkdtempSync(join(tmpdir(), 'flaggraph-types-'));
try {
  // The exit code is ignored: modules behind index.ts export classes that have no declaration. `tsc -p .` checks types.
  spawnSync(
    process.execPath,
    [join(typescript, 'bin/tsc'), '-p', join(root, 'tsconfig.types.json'), '--outDir', folder],
    { stdio: 'ignore' },
  );
  const types = join(folder, 'index.d.ts');
  if (/\b(import|from)\b\s*[('"]/.test(readFileSync(types, 'utf8'))) {
    throw new Error('src/index.ts exports a type of another module. Declare it in src/index.ts.');
  }
  copyFileSync(types, join(root, 'dist/index.d.ts'));
} finally {
  rmSync(folder, { recursive: true });
}
