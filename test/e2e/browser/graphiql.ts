import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** GraphiQL is ready once it has loaded the schema; before, it moves the focus. */
export const untilReady = async (page: Page): Promise<void> => {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).waitFor();
  await expect.poll(() => page.locator('.graphiql-spinner').count()).toBe(0);
};

export const runQuery = (page: Page) =>
  page.getByRole('button', { name: /^Execute query/ }).click();

/** Waits until the result contains a part, given without white space. */
export const expectAnswer = (page: Page, part: string) =>
  expect
    .poll(async () => {
      const text = await page.locator('.result-window').textContent();
      return text?.replace(/\s+/g, '');
    })
    .toContain(part);

/** The text of the token box. */
export const expectState = (page: Page, text: RegExp) =>
  expect.poll(() => page.locator('#token-state').textContent()).toMatch(text);

export const enterToken = async (page: Page, token: string) => {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use' }).click();
};
