import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export type Block = { page: string; language: string; text: string; file: string | undefined };

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCS = join(ROOT, 'docs/frontend');
const PACKAGES = join(ROOT, 'test/e2e/clients/node_modules');
const PROGRAMS = ['ts', 'tsx'];
const RUN_LIMIT_MS = 60_000;
const OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  skipLibCheck: true,
};

/** Code of the pages for frontend developers. The first line of a program names its file. */
export const blocks: Block[] = readdirSync(DOCS)
  .sort()
  .flatMap((page) =>
    [...readFileSync(join(DOCS, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
      ([, language = '', text = '']) => ({
        page,
        language,
        text,
        file: PROGRAMS.includes(language) ? /^\/\/ (\S+\.tsx?)\n/.exec(text)?.[1] : undefined,
      }),
    ),
  );

export const programs = blocks.filter(({ language }) => PROGRAMS.includes(language));

/** The output printed below a program. */
export const outputAfter = (block: Block): string | undefined => {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.page === block.page && next.language === 'text' ? next.text : undefined;
};

/** Writes the programs of the pages next to the packages they import, one folder for each page. */
export const writePages = (change: (text: string) => string = (text) => text) => {
  const folder = mkdtempSync(join(PACKAGES, '.pages-'));
  for (const { page, file, text } of programs) {
    if (file === undefined) continue;
    const path = join(folder, page, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, change(text));
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** What the compiler reports about the programs of a folder. */
export const typeErrors = (folder: string): string => {
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return stdout;
};

/** Bundles a program without its packages and returns the path of the module. */
export const bundle = async (entry: string): Promise<string> => {
  const outfile = entry.replace(/\.tsx?$/, '.bundle.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    jsx: 'automatic',
    logLevel: 'silent',
  });
  return outfile;
};

/** Runs a module until it ends and returns what it printed. */
export const run = (file: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { timeout: RUN_LIMIT_MS });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('close', (code) => {
      if (code === 0 && errors === '') resolve(output);
      else reject(new Error(`${file} exited with ${code}:\n${errors}`));
    });
  });
