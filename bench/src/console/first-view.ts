import type { Page } from '../../../test/e2e/browser/browser.js';
import type { FirstView } from './console-result.js';

/** Milliseconds since the navigation started. */
/** Looks once per frame; resolves with the time of the frame after the condition is met. */
const timeOf = (page: Page, condition: string): Promise<number> =>
  page.evaluate(
    `new Promise((resolve) => {
      const look = () => requestAnimationFrame(() => ((${condition}) ? painted() : look()));
      const painted = () => requestAnimationFrame(() => resolve(performance.now()));
      look();
    })`,
  );

const LETTER = 'x';

/** Opens the event log and types a letter as soon as rows are shown. */
export const measureFirstView = async (page: Page, url: string): Promise<FirstView> => {
  await page.goto(url, { waitUntil: 'commit' });
  const rowsMs = await timeOf(page, `document.querySelector('.event-row') !== null`);
  await page.keyboard.press('/');
  await page.keyboard.press(LETTER);
  const interactiveMs = await timeOf(
    page,
    `document.querySelector('.search input')?.value === '${LETTER}'`,
  );
  await page.keyboard.press('Backspace');
  const completeMs = await timeOf(
    page,
    `document.querySelector('.activity-day') !== null && /[0-9]/.test(document.querySelector('.total')?.textContent ?? '')`,
  );
  return { rowsMs, interactiveMs, completeMs };
};
