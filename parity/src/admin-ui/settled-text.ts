import { isDeepStrictEqual } from 'node:util';
import type { Page } from '../../../test/e2e/browser/browser.js';
import type { PageErrors } from './page-errors.js';
import { poll } from './poll.js';
import { asShown } from './shown-text.js';

/** A page counts as settled after this many consecutive reads of the same text. */
const EQUAL_READS = 4;
const LIMIT_MS = 15_000;

/** Texts of the page's content, messages and menus, without text for screen readers only. */
const readText = async (page: Page): Promise<string[]> =>
  (await page.locator('main, [role=alert], [role=menu], [role=dialog]').allInnerTexts()).map(
    asShown,
  );

/** The text of the page once no request is in flight and the text no longer changes. */
export const settledText = async (page: Page, pageErrors: PageErrors): Promise<string[]> => {
  await pageErrors.settle();
  let last = await readText(page);
  let equal = 0;
  await poll(LIMIT_MS, async () => {
    const text = await readText(page);
    equal = isDeepStrictEqual(text, last) ? equal + 1 : 0;
    last = text;
    return equal >= EQUAL_READS || undefined;
  });
  return last;
};
