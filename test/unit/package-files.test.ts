import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { packageFile } from '../../src/package-files.js';

const SOURCES = fileURLToPath(packageFile('src'));
const PARENT_FOLDER = /new URL\(\s*['"`]\.\.\/.*import\.meta\.url/;
/** Run only from the sources. */
const NOT_BUNDLED = [join('cli', 'print-commands.ts'), join('cli', 'print-schema.ts')];

test('finds the files of the package', () => {
  for (const path of ['package.json', 'prisma/migrations', 'web', 'schema.graphql']) {
    expect([path, existsSync(packageFile(path))]).toEqual([path, true]);
  }
});

test('is the only module that uses parent folders, which the bundle does not keep', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path) && !NOT_BUNDLED.includes(path))
    .filter((path) => PARENT_FOLDER.test(readFileSync(join(SOURCES, path), 'utf8')));
  expect(files).toEqual(['package-files.ts']);
});
