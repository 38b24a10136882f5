import { isAtLeast } from '../version.js';
import { showsAnswer } from './event-log.js';
import type { Journey, Visit } from './visit.js';

const SOURCE = '/projects/default/features/rich';

/** Names of the copies by who makes them. */
export const COPIES = { gateway: 'rich-copied-by-gateway', original: 'rich-copied-by-original' };

/** Since 8.0 copying is in a menu. */
const startCopying = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  await visit.open(SOURCE);
  if (isAtLeast(visit.version, '8.0.0')) {
    await page.getByRole('button', { name: 'Feature flag actions' }).click();
    await page.getByRole('menuitem', { name: 'Clone' }).click();
    return;
  }
  await page.getByRole('link', { name: 'Clone', exact: true }).click();
};

export const copyFeature: Journey = {
  name: 'copying a feature',
  edition: 'open source',
  operations: ['clone', 'search events'],
  walk: async (visit) => {
    const { page } = visit;
    const name = COPIES[visit.hasGateway ? 'gateway' : 'original'];
    await startCopying(visit);
    await page.getByRole('heading', { name: 'Copy rich' }).waitFor();
    await page.getByLabel('Name').fill(name);
    await visit.picture('copy-feature-form');
    await page.getByRole('button', { name: 'Create from copy' }).click();

    const { json } = await visit.answer('clone');
    await visit.shows('the copy is made', name, async () => (json as { name?: unknown }).name);
    await visit.shows(
      'the browser is taken to the copy',
      `/projects/default/features/${name}`,
      async () => new URL(page.url()).pathname,
    );
    await visit.shows('the page of the copy has its name', true, async () =>
      (await page.getByRole('heading', { level: 1 }).allInnerTexts()).includes(name),
    );
    await visit.shows('the page of the copy has the description', true, async () =>
      (await page.locator('main').allInnerTexts())
        .join()
        .includes('all: "quotes", 100%, under_score'),
    );
    await visit.picture('copy-feature');

    await visit.open(`/projects/default/features/${name}/logs`);
    const { events } = await showsAnswer(
      visit,
      'event log of the copy',
      (query) => query.get('feature') === `IS:${name}`,
    );
    await visit.shows('the copy was recorded', ['feature-created'], async () =>
      events.map(({ type }) => type).filter((type) => type === 'feature-created'),
    );
    await visit.picture('copy-feature-log');
  },
};
