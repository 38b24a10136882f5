import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { installFromDebian, isRootOnDebian } from './debian.js';

const INSTALL_LIMIT_MS = 300_000;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // Not even a name is looked up elsewhere, whatever the browser itself may have in mind.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_PROGRAMS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const WAY_OUT =
  'Install Chromium (on Debian: apt-get install chromium) or set CHROMIUM to the path of a Chromium or Chrome.';

const run = promisify(execFile);

/** Path of a program, or undefined for the browser that Playwright keeps in a folder of its own. */
type Candidate = string | undefined;

/** A headless browser with a profile of its own; where none is to be found, one is installed first. */
export const startBrowser = async (): Promise<Browser> => {
  const failures: string[] = [];
  const given = process.env['CHROMIUM'];
  const found = await startFirst(given ? [given] : candidates(), failures);
  if (found) return found;
  if (given) throw unusable(failures);

  for (const install of installers()) {
    await install().catch((error: unknown) => failures.push(reason(error)));
    const installed = await startFirst(candidates(), failures);
    if (installed) return installed;
  }
  throw unusable(failures);
};

const unusable = (failures: readonly string[]) =>
  new Error(`There is no browser for the tests. ${WAY_OUT}\n${failures.join('\n')}`);

const candidates = (): Candidate[] => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = folders.flatMap((folder) => PROGRAMS.map((program) => join(folder, program)));
  return [...[...places, ...MAC_PROGRAMS].filter((path) => existsSync(path)), undefined];
};

const startFirst = async (
  programs: readonly Candidate[],
  failures: string[],
): Promise<Browser | undefined> => {
  for (const program of programs) {
    try {
      return await start(program);
    } catch (error) {
      failures.push(`${program ?? 'The browser of Playwright'}: ${reason(error)}`);
    }
  }
  return undefined;
};

/** Playwright gives every browser a new profile and removes it in the end. */
const start = (program: Candidate): Promise<Browser> =>
  chromium.launch({ ...(program !== undefined && { executablePath: program }), args: FLAGS });

const installers = (): (() => Promise<void>)[] =>
  isRootOnDebian()
    ? [() => installFromDebian('chromium'), installFromPlaywright]
    : [installFromPlaywright];

const installFromPlaywright = async (): Promise<void> => {
  const folder = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
  await run(process.execPath, [join(folder, 'cli.js'), 'install', 'chromium-headless-shell'], {
    timeout: INSTALL_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
};

/** The first lines, without the advice that Playwright frames in boxes. */
const reason = (error: unknown): string => {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  return lines
    .filter((line) => !/^[╔║╚]/.test(line))
    .slice(0, 12)
    .join('\n');
};
