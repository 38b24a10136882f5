import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConsoleFiles } from '../../src/pages/console-files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flaggraph-console-'));
  mkdirSync(join(folder, 'assets'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = () => readConsoleFiles(pathToFileURL(`${folder}/`));

test('a running gateway keeps the files of its version when the package is upgraded', () => {
  const manifest = { 'src/main.tsx': { file: 'assets/main-1.js' } };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'assets/main-1.js'), 'old()');
  const files = read();
  rmSync(join(folder, 'assets/main-1.js'));
  expect(files?.files.map(({ name, body }) => [name, body.toString()])).toEqual([
    ['assets/main-1.js', 'old()'],
  ]);
});

test('a console that is not built has no files', () => {
  expect(read()).toBeNull();
});
