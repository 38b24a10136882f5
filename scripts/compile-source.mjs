// Compiles each file of src/ for the tests. Node loads the result itself, instead of Vitest transforming each file for
// each test project and wrapping every access to an import.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate, isGeneratedStale } from './generate.mjs';
import { isStale, root } from './is-stale.mjs';
import { withBuildLock } from './with-build-lock.mjs';

// One level below the root, like src/, so that relative paths to other files stay valid.
const FOLDER = '.compiled';
// Written last: an interrupted run leaves no stamp, so the next one starts over.
const STAMP = `${FOLDER}/.built`;
const SOURCES = ['src', 'prisma/schema.prisma', 'package-lock.json', 'scripts/compile-source.mjs'];

const compile = async () => {
  const { build } = await import('esbuild');
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: readdirSync(join(root, 'src'), { recursive: true })
      .filter((path) => /\.[jt]s$/.test(path))
      .map((path) => join('src', path)),
    outdir: FOLDER,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  });
  writeFileSync(join(root, STAMP), '');
};

export const compileIfStale = async () => {
  if (!isStale(STAMP, SOURCES)) return;
  await withBuildLock(async () => {
    if (isGeneratedStale()) generate();
    if (isStale(STAMP, SOURCES)) await compile();
  });
};

const SOURCE_FOLDER = `${root.replaceAll('\\', '/')}/src/`;

/**
 * Plugin for Vite: imports of src/ become imports of the compiled files.
 * @returns {import('vite').Plugin}
 */
export const useCompiledSource = () => ({
  name: 'compiled-source',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!importer || !source.startsWith('.')) return undefined;
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (!resolved?.id.startsWith(SOURCE_FOLDER)) return resolved;
    const path = resolved.id.slice(SOURCE_FOLDER.length).replace(/\.ts$/, '.js');
    return { id: join(root, FOLDER, path), external: true };
  },
});

export const COMPILED_FILES = /\/\.compiled\//;
