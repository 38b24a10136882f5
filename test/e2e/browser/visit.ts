import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

export const DESK = { width: 1400, height: 900 } as const;
export const PHONE = { width: 390, height: 844 } as const;

export type PageProblems = {
  /** Requested addresses of other hosts; none of them resolves. */
  foreign: string[];
  /** Console errors, including violations of the content security policy. */
  errors: string[];
};

export const NO_PROBLEMS: PageProblems = { foreign: [], errors: [] };

type Visit = BrowserContextOptions & {
  /** Console errors that the test expects. */
  expects?: RegExp;
  /** Runs before the first page is opened. */
  prepare?: (context: BrowserContext) => Promise<unknown>;
  /** Whether console warnings count as errors. */
  rejectsWarnings?: boolean;
};

type Recording = Pick<Visit, 'expects' | 'rejectsWarnings'>;

/** Records requests to other hosts and errors of all pages that are opened from now on. */
export const recordProblems = (
  context: BrowserContext,
  address: string,
  { expects, rejectsWarnings = false }: Recording = {},
): PageProblems => {
  const { origin } = new URL(address);
  const isForeign = (url: URL) => url.protocol !== 'data:' && url.origin !== origin;
  const problems: PageProblems = { foreign: [], errors: [] };
  const noteForeign = (url: string) => {
    if (!problems.foreign.includes(url)) problems.foreign.push(url);
  };
  const note = (text: string) => {
    if (!expects?.test(text)) problems.errors.push(text);
  };
  context.on('page', (page) => {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (isForeign(url)) noteForeign(url.href);
    });
    page.on('websocket', (socket) => noteForeign(socket.url()));
    page.on('console', (message) => {
      const type = message.type();
      if (type === 'error' || (rejectsWarnings && type === 'warning')) note(message.text());
    });
    page.on('pageerror', (error) => note(String(error)));
  });
  return problems;
};

/** Opens an address in its own profile and records requests to other hosts and errors. */
export const visit = async (
  browser: Browser,
  address: string,
  work: (page: Page) => Promise<void>,
  { expects, prepare, rejectsWarnings = false, ...options }: Visit = {},
): Promise<PageProblems> => {
  const context = await browser.newContext({ viewport: DESK, ...options });
  const problems = recordProblems(context, address, {
    rejectsWarnings,
    ...(expects && { expects }),
  });
  try {
    await prepare?.(context);
    const page = await context.newPage();
    await page.goto(address);
    await work(page);
  } finally {
    await context.close();
  }
  return problems;
};

/** Whether content overflows horizontally, so that a reader would have to scroll. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
