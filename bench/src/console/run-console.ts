import { ADMIN_TOKEN } from '../../../parity/src/upstream.js';
import { type Page, startBrowser } from '../../../test/e2e/browser/browser.js';
import type { Contender } from '../contenders/contender.js';
import { startGateway } from '../contenders/gateway.js';
import type { ConsoleRound, PageMemory, RunConsole } from './console-result.js';
import { measureFirstView } from './first-view.js';
import { measureScroll, readMemory, turnWheel } from './scroll.js';
import { shiftEvents } from './shift-events.js';
import { yieldToBrowser } from './yield-to-browser.js';

const SCROLLED_ROWS = 5_000;
/** For memory, speed does not matter. */
const FAST_WHEEL_PX = 1_280;
const REMEMBERED_ROWS = [5_000, 10_000, 20_000];
const VIEWPORT = { width: 1400, height: 900 };

const withConsole = async <Result>(
  databaseUrl: string,
  work: (page: Page, gateway: Contender) => Promise<Result>,
): Promise<Result> => {
  const gateway = await startGateway(databaseUrl, { CONSOLE: 'on' });
  const browser = await startBrowser();
  try {
    const context = await browser.newContext({ viewport: VIEWPORT });
    await context.addInitScript(`sessionStorage.setItem('flaggraph:token', '${ADMIN_TOKEN}')`);
    return await work(await context.newPage(), gateway);
  } finally {
    await browser.close();
    await gateway.stop();
  }
};

const SETTLE_MS = 5_000;

const runRound = (databaseUrl: string): Promise<ConsoleRound> =>
  withConsole(databaseUrl, async (page, { url, pid }) => {
    const firstView = await measureFirstView(page, `${url}/`);
    // The filter choices of a cold log come last, and the letter that was typed has started a search.
    await page.waitForTimeout(SETTLE_MS);
    await yieldToBrowser(pid, databaseUrl);
    const session = await page.context().newCDPSession(page);
    return { firstView, scroll: await measureScroll(page, session, SCROLLED_ROWS) };
  });

const runMemory = (databaseUrl: string): Promise<PageMemory[]> =>
  withConsole(databaseUrl, async (page, { url }) => {
    await measureFirstView(page, `${url}/`);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const memory = [await readMemory(page, session)];
    for (const row of REMEMBERED_ROWS) {
      await turnWheel(page, row, FAST_WHEEL_PX);
      memory.push(await readMemory(page, session));
    }
    return memory;
  });

/** Opens the console on a long log in a browser, and scrolls through it. */
export const runConsole: RunConsole = async (store, settings, progress) => {
  const databaseUrl = await store.copy(settings.events, 'console', 'plain');
  progress.log('Moving the log to now');
  await shiftEvents(databaseUrl);
  const rounds: ConsoleRound[] = [];
  for (let round = 1; round <= settings.rounds; round += 1) {
    rounds.push(await runRound(databaseUrl));
    progress.step(round, settings.rounds, 'console');
  }
  const memory = await runMemory(databaseUrl);
  progress.end();
  return { rounds, memory };
};
