import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { bundledLicenses } from './bundled-licenses.mjs';
import { copyConsole } from './console.mjs';
import { copyDocs } from './docs.mjs';
import { generate, isGeneratedStale, requireTools } from './generate.mjs';
import { isStale, root } from './is-stale.mjs';
import { report } from './report.mjs';
import { withBuildLock } from './with-build-lock.mjs';

const SOURCES = ['src', 'prisma/schema.prisma', 'package.json', 'scripts/bundle.mjs'];
// Written last: an interrupted build leaves no stamp, so the next one starts over.
const STAMP = 'dist/.built';

const build = async () => {
  requireTools();
  if (isGeneratedStale()) generate();
  report('Building dist/ …');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const files = await bundle();
  writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), bundledLicenses(files));
  copyConsole();
  copyDocs();
  writeFileSync(join(root, STAMP), '');
};

const isBuildStale = () => isStale(STAMP, SOURCES);

export const buildIfStale = async () => {
  if (!isBuildStale()) return;
  await withBuildLock(async () => {
    if (isBuildStale()) await build();
  });
};

if (process.argv[1]?.endsWith('build.mjs')) {
  if (process.argv.includes('--if-stale')) await buildIfStale();
  else await withBuildLock(build);
}
