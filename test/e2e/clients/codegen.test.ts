import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blocks } from './frontend-page.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const CLIENT = join(FOLDER, 'node_modules/@flaggraph/client');

const blockOf = (language: string) => {
  const found = blocks.find((block) => block.page === 'codegen.md' && block.language === language);
  if (!found) throw new Error(`The page has no ${language}.`);
  return found.text;
};

test('GraphQL Code Generator types the documented query', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(FOLDER, 'node_modules/.codegen-'));
  try {
    cpSync(CLIENT, join(folder, 'node_modules/@flaggraph/client'), { recursive: true });
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'codegen.ts'), blockOf('ts'));
    writeFileSync(join(folder, 'src/project-names.ts'), blockOf('js'));

    const { resolve } = createRequire(join(FOLDER, 'package.json'));
    const cli = resolve('@graphql-codegen/cli/package.json');
    const { bin } = JSON.parse(readFileSync(cli, 'utf8'));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(dirname(cli), bin['graphql-codegen']), '--config', 'codegen.ts'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(`${status} ${status === 0 ? '' : stdout + stderr}`).toBe('0 ');

    const types = readFileSync(join(folder, 'src/generated/graphql.ts'), 'utf8');
    expect(types).toMatch(
      /type ProjectNamesQuery = [^;]*nodes: Array<\{[^}]*id: string[;,] name: string/,
    );
    expect(types).not.toMatch(/\bany\b/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
