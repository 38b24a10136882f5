import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asShown } from './shown-text.js';
import type { Journey } from './visit.js';

type HealthReport = {
  health: number;
  potentiallyStaleCount: number;
  activeCount: number;
  staleCount: number;
  features: { name: string; stale: boolean; createdAt: string | null }[];
};

/** Whether the pages of a version request the health report. */
export const requestsHealthReport = (folder: string): boolean => {
  const scripts = join(folder, 'frontend/build/static');
  return readdirSync(scripts)
    .filter((name) => name.endsWith('.js'))
    .some((name) => readFileSync(join(scripts, name), 'utf8').includes('/health-report'));
};

export const healthView: Journey = {
  name: 'health view of a project',
  edition: 'open source',
  operations: ['health report'],
  walk: async (visit) => {
    const { page } = visit;
    await visit.open('/projects/default/health');
    const { json } = await visit.response('health report');
    const report = json as HealthReport;
    const main = page.locator('main');
    const has = (text: string) => main.getByText(text, { exact: true }).count();
    const count = (kind: string) => async () =>
      asShown((await main.getByRole('listitem').filter({ hasText: kind }).allInnerTexts()).join());

    await visit.shows('health rating, as in the response', true, async () => {
      const paragraphs = await main.locator('p').allInnerTexts();
      return paragraphs.map(asShown).includes(`${report.health}%`);
    });
    await visit.shows(
      'number of active features, as in the response',
      `${report.activeCount} active flags`,
      count(' active flags'),
    );
    await visit.shows(
      'number of stale features, as in the response',
      true,
      async () => (await has(`${report.staleCount} stale flags`)) > 0,
    );
    await visit.shows(
      'number of potentially stale features, as in the response',
      `${report.potentiallyStaleCount} potentially stale flags`,
      count('potentially stale flags'),
    );
    await visit.shows('number of features, as in the response', 1, () =>
      page.getByRole('heading', { name: `Feature flags (${report.features.length})` }).count(),
    );
    await page
      .getByRole('textbox', { name: /^Search/ })
      .last()
      .fill('stale');
    const named = report.features.filter(({ name }) => name.includes('stale'));
    await visit.shows(
      'the listed stale features and their state, as in the response',
      named.map(({ name, stale }) => `${name}: ${stale ? 'Stale' : 'Active'}`).sort(),
      async () => {
        const cells = await Promise.all(
          (await page.getByRole('row').all()).map((row) => row.getByRole('cell').allInnerTexts()),
        );
        return cells
          .filter((texts) => texts.length > 0)
          .map((texts) => `${asShown(texts[2] ?? '')}: ${asShown(texts.at(-1) ?? '')}`)
          .sort();
      },
    );
    await visit.picture('project-health');
  },
};
