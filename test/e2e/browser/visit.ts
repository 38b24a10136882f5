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

/** Opens an address in its own profile and records requests to other hosts and errors. */
export const visit = async (
  browser: Browser,
  address: string,
  work: (page: Page) => Promise<void>,
  { expects, prepare, rejectsWarnings = false, ...options }: Visit = {},
): Promise<PageProblems> => {
  const { origin } = new URL(address);
  const isForeign = (url: URL) => url.protocol !== 'data:' && url.origin !== origin;
  const foreign = new Set<string>();
  const errors: string[] = [];
  const note = (text: string) => {
    if (!expects?.test(text)) errors.push(text);
  };
  const context = await browser.newContext({ viewport: DESK, ...options });
  const watch = (page: Page) => {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (isForeign(url)) foreign.add(url.href);
    });
    page.on('websocket', (socket) => foreign.add(socket.url()));
    page.on('console', (message) => {
      const isProblem =
        message.type() === 'error' || (rejectsWarnings && message.type() === 'warning');
      if (isProblem) note(message.text());
    });
    page.on('pageerror', (error) => note(String(error)));
  };
  try {
    context.on('page', watch);
    await prepare?.(context);
    const page = await context.newPage();
    await page.goto(address);
    await work(page);
  } finally {
    await context.close();
  }
  return { foreign: [...foreign], errors };
};

/** Whether content overflows horizontally, so that a reader would have to scroll. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
