import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDemoOnBothDatabases } from '../testkit/app.js';
import { needProgram, type Program, printedBy } from '../testkit/program.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GO: Program = { command: 'go', version: ['version'], debian: 'golang-go' };
const PYTHON: Program = { command: 'python3', version: ['--version'], debian: 'python3' };
const CURL: Program = { command: 'curl', version: ['--version'], debian: 'curl' };
const INSTALL_LIMIT_MS = 900_000;
const RUN_LIMIT_MS = 300_000;

const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const blockIn = (language: string) => {
  const [, text] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (text === undefined) throw new Error(`The page has no ${language}.`);
  return text;
};
const told = blockIn('text');

describeDemoOnBothDatabases('the clients of the documents', ({ gateway }) => {
  let folder: string;
  beforeAll(async () => {
    // Beside the packages of the project, so that a program finds the one it imports.
    folder = mkdtempSync(join(ROOT, 'node_modules/.clients-'));
    for (const program of [CURL, PYTHON, GO]) await needProgram(program);
  }, INSTALL_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Writes an example down as the page says, only that it calls the gateway of the test. */
  const write = (language: string, name: string, change = (text: string) => text) => {
    const text = change(blockIn(language)).replaceAll('http://127.0.0.1:4000', gateway().url);
    writeFileSync(join(folder, name), text);
  };

  test('curl gives the answer printed below it', { timeout: RUN_LIMIT_MS }, async () => {
    write('sh', 'ask.sh');
    const answer = JSON.parse(await printedBy('sh', ['ask.sh'], folder));
    expect(answer).toEqual(JSON.parse(blockIn('json')));
  });

  const programs = [
    { language: 'js', name: 'last-archived.mjs', command: [process.execPath] },
    { language: 'python', name: 'last_archived.py', command: ['python3'] },
    { language: 'go', name: 'last_archived.go', command: ['go', 'run'] },
  ];

  test.each(programs)(
    '$name prints what the page says',
    { timeout: RUN_LIMIT_MS },
    async ({ language, name, command: [command = '', ...args] }) => {
      write(language, name);
      expect(await printedBy(command, [...args, name], folder)).toBe(told);
    },
  );

  test.each(programs)(
    '$name with a wrong token fails and tells why',
    { timeout: RUN_LIMIT_MS },
    async ({ language, name, command: [command = '', ...args] }) => {
      write(language, name, (text) => text.replace('*:*.demo-admin-token', 'no-such-token'));
      await expect(printedBy(command, [...args, name], folder)).rejects.toThrow(/token/i);
    },
  );
});
