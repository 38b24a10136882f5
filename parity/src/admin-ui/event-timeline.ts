import type { Locator } from '../../../test/e2e/browser/browser.js';
import { isAtLeast } from '../version.js';
import { asShown, withoutMarkup } from './shown-text.js';
import type { Journey, Visit } from './visit.js';

const SPAN_MS = 30 * 60_000;

type TimelineEvent = {
  createdAt: string;
  environment: string | null;
  label: string;
  summary: string;
};

/** Up to 6.6 the timeline opens with a button on every page; later it is part of the dashboard. */
const openTimeline = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  if (isAtLeast(visit.version, '6.7.0')) {
    await visit.open('/personal');
    const section = page.getByRole('button', { name: /Event timeline/ }).first();
    if ((await section.getAttribute('aria-expanded')) !== 'true') await section.click();
    return;
  }
  await visit.open('/projects');
  const button = page.locator('[aria-label="Show event timeline"]');
  await button.locator('xpath=descendant-or-self::button').click();
};

const groups = (visit: Visit): Locator => visit.page.locator('main .MuiBadge-root:visible');

const eventsOf = async (visit: Visit, environment: string): Promise<TimelineEvent[]> => {
  const { json } = await visit.response('search events', ({ query }) => query.has('type'));
  const { events } = json as { events: TimelineEvent[] };
  return events.filter(
    (event) =>
      Date.parse(event.createdAt) >= Date.now() - SPAN_MS &&
      (!event.environment || event.environment === environment),
  );
};

/** Text of the tooltip over a group of events. */
const readBubble = async ({ page }: Visit, group: Locator): Promise<string> => {
  const bubble = page.getByRole('tooltip');
  await page.mouse.move(0, 0);
  await bubble.waitFor({ state: 'hidden' });
  await group.hover();
  await bubble.waitFor();
  return asShown((await bubble.allInnerTexts()).join(' '));
};

const readBubbles = async (visit: Visit): Promise<string> => {
  const texts: string[] = [];
  for (const group of await groups(visit).all()) texts.push(await readBubble(visit, group));
  return texts.join(' ');
};

const showsEvents = async (visit: Visit, environment: string): Promise<TimelineEvent[]> => {
  const { page } = visit;
  const events = await eventsOf(visit, environment);
  await visit.shows(
    `${environment}: number of events as in the response`,
    [`${events.length} event${events.length === 1 ? '' : 's'}`],
    () =>
      page
        .locator('main')
        .getByText(/^\d+ events?$/)
        .allInnerTexts(),
  );
  return events;
};

const chooseEnvironment = async (visit: Visit, environment: string): Promise<void> => {
  const { page } = visit;
  await page
    .getByRole('combobox')
    .filter({ hasText: /^(development|production)$/ })
    .first()
    .click();
  await page.getByRole('option', { name: environment, exact: true }).click();
};

export const eventTimeline: Journey = {
  name: 'event timeline',
  edition: 'pro',
  operations: ['search events'],
  walk: async (visit) => {
    await openTimeline(visit);
    const events = await showsEvents(visit, 'production');
    const summaries = events.map(({ summary }) => withoutMarkup(summary));
    await visit.shows(
      'production: every summary is in a tooltip, text as in the response',
      [],
      async () => {
        const bubbles = await readBubbles(visit);
        return summaries.filter((summary) => !bubbles.includes(summary));
      },
    );
    await chooseEnvironment(visit, 'development');
    const others = await showsEvents(visit, 'development');
    const newest = others.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0];
    const texts = newest ? [asShown(newest.label), withoutMarkup(newest.summary)] : [];
    await visit.shows('the newest event has its label and summary', texts, async () => {
      const bubble = await readBubble(visit, groups(visit).last());
      return texts.filter((text) => bubble.includes(text));
    });
    await visit.picture('event-timeline');
  },
};
