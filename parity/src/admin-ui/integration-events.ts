import type { Exchange } from './routing-proxy.js';
import { asShown, asShownTime } from './shown-text.js';
import type { Journey, Visit } from './visit.js';

type Delivery = {
  createdAt: string;
  state: string;
  stateDetails: string;
  event: unknown;
  details: unknown;
};

const deliveriesOf = ({ json }: Exchange): Delivery[] =>
  (json as { integrationEvents: Delivery[] }).integrationEvents;

const rows = ({ page }: Visit) => page.locator('form button').filter({ hasText: /\d{4}, .*[AP]M/ });

const readRows = async (visit: Visit): Promise<string[]> =>
  (await rows(visit).allInnerTexts()).map(asShown);

/** Opens a row of the list and checks its details. */
const showsParticulars = async (visit: Visit, deliveries: Delivery[], index: number) => {
  const { page } = visit;
  const delivery = deliveries[index];
  if (!delivery) throw new Error(`delivery ${index + 1} does not exist`);
  const name = `delivery number ${index + 1} (${delivery.state})`;
  await rows(visit).nth(index).click();
  await visit.shows(`${name}: its state, as in the response`, true, async () => {
    const text = asShown((await page.locator('form').allInnerTexts()).join(' '));
    return text.includes(asShown(delivery.stateDetails));
  });
  await visit.shows(`${name}: its details, as in the response`, delivery.details, async () => {
    const texts = await page.locator('form .cm-content:visible').allInnerTexts();
    try {
      return JSON.parse(texts.at(-1) ?? '');
    } catch {
      return texts;
    }
  });
};

export const integrationEvents: Journey = {
  name: 'events of an integration',
  edition: 'open source',
  operations: ['integration events'],
  walk: async (visit) => {
    const { page } = visit;
    await visit.open('/integrations');
    const card = page.locator('a[href$="/integrations/edit/1"]');
    await card.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'View events' }).click();

    const isPage = ({ path, query }: Exchange, offset: string) =>
      path.includes('/addons/1/') &&
      query.get('limit') === '20' &&
      (query.get('offset') ?? '0') === offset;
    const first = deliveriesOf(
      await visit.response('integration events', (exchange) => isPage(exchange, '0')),
    );
    await visit.shows(
      `the latest ${first.length} deliveries, as in the response`,
      first.map(({ createdAt }) => asShownTime(createdAt)),
      () => readRows(visit),
    );
    await showsParticulars(visit, first, 1);
    await showsParticulars(visit, first, 0);
    await visit.picture('integration-events');

    await page.getByRole('button', { name: /more/i }).last().click();
    const second = deliveriesOf(
      await visit.response('integration events', (exchange) => isPage(exchange, '20')),
    );
    await visit.shows(
      `the next ${second.length} deliveries, as in the response`,
      [...first, ...second].map(({ createdAt }) => asShownTime(createdAt)),
      () => readRows(visit),
    );
  },
};
