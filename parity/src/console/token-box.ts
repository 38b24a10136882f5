import type { Browser } from '../../../test/e2e/browser/browser.js';
import { startGateway } from '../gateway.js';
import type { Check } from '../part.js';
import { ADMIN_TOKEN } from '../upstream.js';

const LIMIT_MS = 30_000;

/** Without sessions, the console requires a token. */
export const checkTokenBox = async (
  browser: Browser,
  databaseUrl: string,
  program: string | undefined,
): Promise<Check> => {
  const what = 'without sessions, a token box: rejects an unknown token, accepts that of an admin';
  const gateway = await startGateway(databaseUrl, {
    env: { SESSIONS: 'off', CONSOLE: 'on' },
    ...(program !== undefined && { program }),
  });
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT_MS);
  try {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/`);
    const box = page.getByLabel('Token');
    await box.fill('*:*.unknown-token');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await box.fill(ADMIN_TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('.event-row').first().waitFor();
    return { what };
  } catch (error) {
    return { what, difference: error instanceof Error ? error.message : String(error) };
  } finally {
    await context.close();
    await gateway.stop();
  }
};
