import type { Page } from '../../../test/e2e/browser/browser.js';
import type { Exchange } from './routing-proxy.js';
import { asShown, asShownTime } from './shown-text.js';
import type { Journey, Visit } from './visit.js';

export type LoggedEvent = {
  id: number;
  /** Since 7.x: ID of the group of events written together, shown instead of the event ID. */
  groupId?: string | null;
  type: string;
  createdBy: string;
  createdAt: string;
  project: string | null;
  featureName: string | null;
  environment: string | null;
};

export type FoundEvents = { events: LoggedEvent[]; total: number };

export const foundEvents = ({ json }: Exchange): FoundEvents => json as FoundEvents;

const TERMS = [
  'Event id',
  'Changed at',
  'Event',
  'Changed by',
  'Project',
  'Feature',
  'Environment',
] as const;

type Entry = Partial<Record<(typeof TERMS)[number], string>>;

const expectedEntry = (event: LoggedEvent): Entry => ({
  'Event id': event.groupId ?? String(event.id),
  'Changed at': asShownTime(event.createdAt),
  Event: event.type,
  'Changed by': asShown(event.createdBy),
  ...(event.project && { Project: asShown(event.project) }),
  ...(event.featureName && { Feature: asShown(event.featureName) }),
  ...(event.environment && { Environment: asShown(event.environment) }),
});

const readEntry = (text: string): Entry => {
  const entry: Entry = {};
  let current: keyof Entry | undefined;
  for (const line of text.split('\n').map(asShown)) {
    const term = TERMS.find((name) => line === `${name}:`);
    if (term) current = term;
    else if (current && line) entry[current] = line;
  }
  return entry;
};

const readEntries = async (page: Page): Promise<Entry[]> =>
  (await page.locator('main li dl').allInnerTexts()).map(readEntry);

/** Reads the total next to the title. On a project's page the title includes the project name. */
const readTotal = async (page: Page): Promise<number[]> =>
  (
    await page.getByRole('heading', { name: /^event log/i, includeHidden: true }).allInnerTexts()
  ).map((title) => Number(/\((\d+)\)$/.exec(asShown(title))?.[1]));

/** Waits for the response to a search and checks that the event log shows it. */
export const showsResponse = async (
  visit: Visit,
  what: string,
  fits: (query: URLSearchParams) => boolean,
): Promise<FoundEvents> => {
  const found = foundEvents(await visit.response('search events', ({ query }) => fits(query)));
  await visit.shows(
    `${what}: ${found.events.length} events on the page, as in the response`,
    found.events.map(expectedEntry),
    () => readEntries(visit.page),
  );
  await visit.shows(`${what}: ${found.total} in total, as in the response`, [found.total], () =>
    readTotal(visit.page),
  );
  return found;
};

const pageText = (page: Page) => page.getByText(/^Page \d+ of \d+$/);
const nextPage = (page: Page) => pageText(page).locator('xpath=following-sibling::button').first();
const previousPage = (page: Page) =>
  pageText(page).locator('xpath=preceding-sibling::button').first();

const isFirst = (query: URLSearchParams) => (query.get('offset') ?? '0') === '0';

const turnPages = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  await nextPage(page).click();
  const { total } = await showsResponse(
    visit,
    'second page',
    (query) => query.get('offset') === '25',
  );
  await visit.shows('number of pages', [`Page 2 of ${Math.ceil(total / 25)}`], () =>
    pageText(page).allInnerTexts(),
  );
  await previousPage(page).click();
  await showsResponse(visit, 'first page again', isFirst);
  await page.getByRole('combobox').last().selectOption('50');
  await showsResponse(visit, 'pages of 50', (query) => query.get('limit') === '50');
};

const searchFor = async (visit: Visit, text: string): Promise<FoundEvents> => {
  await visit.page.getByRole('textbox', { name: /^Search/ }).fill(text);
  return showsResponse(visit, `search for ${text}`, (query) => query.get('query') === text);
};

const showFullEvents = async (visit: Visit): Promise<void> => {
  const { page } = visit;
  const last = await visit.response('search events');
  await page.getByLabel('Full events').click();
  await visit.shows(
    'full events: every field as in the response, including label and summary',
    foundEvents(last).events,
    async () => {
      const texts = await page.locator('main li code').allInnerTexts();
      return texts.map((text): unknown => JSON.parse(text));
    },
  );
};

export const eventLog: Journey = {
  name: 'event log',
  edition: 'open source',
  operations: ['search events'],
  walk: async (visit) => {
    await visit.open('/history');
    await showsResponse(visit, 'last year', isFirst);
    await visit.picture('event-log');
    await turnPages(visit);
    await searchFor(visit, 'made-by');
    await visit.picture('event-log-search');
    await showFullEvents(visit);
    await visit.picture('event-log-full-events');
    await searchFor(visit, '100%, "under_score"');
    await visit.shows('a search without results shows a message', 1, () =>
      visit.page.getByText('No events found.').count(),
    );
  },
};

export const projectEventLog: Journey = {
  name: 'event log of a project',
  edition: 'open source',
  operations: ['search events'],
  walk: async (visit) => {
    await visit.open('/projects/default/logs');
    await showsResponse(visit, 'project default', (query) => query.get('project') === 'IS:default');
    await visit.picture('event-log-of-project');
  },
};
