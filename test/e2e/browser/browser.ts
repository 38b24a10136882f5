import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

export type {
  APIRequestContext,
  Browser,
  BrowserContext,
  CDPSession,
  Locator,
  Page,
  Request,
} from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // Prevents lookups of other hosts, also by the browser itself.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];
/** The headless shell is the same browser without windows, and needs a quarter less CPU time. */
const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];
const MAC_PROGRAMS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of a program, or undefined for the browser that Playwright installed. */
type Candidate = string | undefined;

/** A headless browser with its own profile. */
export const startBrowser = async (): Promise<Browser> => {
  const failures: string[] = [];
  const configured = process.env['CHROMIUM'];
  const browser = await startFirst(configured ? [configured] : candidates(), failures);
  if (browser) return browser;
  throw new Error(
    `No browser starts. Run: npm run test:e2e:setup, or set CHROMIUM to the path of a Chromium or Chrome.\n${failures.join('\n')}`,
  );
};

const candidates = (): Candidate[] => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  return [...[...paths, ...MAC_PROGRAMS].filter((path) => existsSync(path)), undefined];
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

/** Playwright creates a new profile for every browser and removes it. */
const start = (program: Candidate): Promise<Browser> =>
  chromium.launch({ ...(program !== undefined && { executablePath: program }), args: FLAGS });

/** The first lines, without the boxes with advice from Playwright. */
const reason = (error: unknown): string => {
  const lines = error instanceof Error ? error.message.split('\n') : [String(error)];
  return lines
    .filter((line) => !/^[╔║╚]/.test(line))
    .slice(0, 12)
    .join('\n');
};
