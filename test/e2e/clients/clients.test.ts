import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithDemo } from '../../testkit/app.js';
import { outputOf, type Program, requireProgram } from '../../testkit/program.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GO: Program = { command: 'go', version: ['version'] };
const PYTHON: Program = { command: 'python3', version: ['--version'] };
const CURL: Program = { command: 'curl', version: ['--version'] };
const INSTALL_LIMIT_MS = 900_000;
const RUN_LIMIT_MS = 300_000;

const page = readFileSync(join(ROOT, 'docs/guides/clients.md'), 'utf8');
const blockIn = (language: string) => {
  const [, text] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (text === undefined) throw new Error(`The page has no ${language}.`);
  return text;
};
const expectedOutput = blockIn('text');

describeWithDemo('the documented clients', ({ gateway }) => {
  let folder: string;
  beforeAll(async () => {
    // Next to the packages of the project, so that a program resolves its imports.
    folder = mkdtempSync(join(ROOT, 'test/e2e/clients/node_modules/.clients-'));
    for (const program of [CURL, PYTHON, GO]) await requireProgram(program);
  }, INSTALL_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes an example as shown on the page, except that it calls the gateway of the test. */
  const write = (language: string, name: string, change = (text: string) => text) => {
    const text = change(blockIn(language)).replaceAll('http://127.0.0.1:4000', gateway().url);
    writeFileSync(join(folder, name), text);
  };

  test('return the printed response with curl', { timeout: RUN_LIMIT_MS }, async () => {
    write('sh', 'ask.sh');
    const response = JSON.parse(await outputOf('sh', ['ask.sh'], folder));
    expect(response).toEqual(JSON.parse(blockIn('json')));
  });

  const programs = [
    { language: 'js', name: 'last-archived.mjs', command: [process.execPath] },
    { language: 'python', name: 'last_archived.py', command: ['python3'] },
    { language: 'go', name: 'last_archived.go', command: ['go', 'run'] },
  ];

  test.each(programs)(
    'print the documented output: $name',
    { timeout: RUN_LIMIT_MS },
    async ({ language, name, command: [command = '', ...args] }) => {
      write(language, name);
      expect(await outputOf(command, [...args, name], folder)).toBe(expectedOutput);
    },
  );

  test.each(programs)(
    'fail with a reason when the token is invalid: $name',
    { timeout: RUN_LIMIT_MS },
    async ({ language, name, command: [command = '', ...args] }) => {
      write(language, name, (text) => text.replace('*:*.demo-admin-token', 'no-such-token'));
      await expect(outputOf(command, [...args, name], folder)).rejects.toThrow(/token/i);
    },
  );
});
