import { isAtLeast } from '../version.js';
import { type LoggedEvent, showsResponse } from './event-log.js';
import type { Journey, Visit } from './visit.js';

type Filter = {
  /** Name in the filter menu. */
  name: string;
  parameter: string;
  /** Values to tick, in order. */
  values: readonly string[];
  /** Whether an event may be shown when these values are ticked. */
  fits(event: LoggedEvent, ticked: readonly string[]): boolean;
};

/** Adds a filter, ticks its values, and checks the shown events after each. */
const addFilter = async (visit: Visit, { name, parameter, values, fits }: Filter) => {
  const { page } = visit;
  await page.getByRole('button', { name: /^(add )?filter$/i }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
  for (const [index, value] of values.entries()) {
    const ticked = values.slice(0, index + 1);
    await page.getByPlaceholder('Search', { exact: true }).fill(value);
    await page.getByRole('checkbox', { name: value, exact: true }).click();
    const what = `${name} ${ticked.join(' or ')}`;
    const { events } = await showsResponse(
      visit,
      what,
      (query) => valuesOf(query, parameter).length === ticked.length,
    );
    const others = events.filter((event) => !fits(event, ticked)).map(({ id }) => id);
    visit.checks.push({
      what: `${what}: only matching events are shown`,
      ...(others.length > 0 && { difference: `shown too: ${others.join(', ')}` }),
    });
  }
  await page.keyboard.press('Escape');
  await page.getByPlaceholder('Search', { exact: true }).waitFor({ state: 'hidden' });
};

/** Picks the first day of the month before the one the date filter shows. */
const pickEarlierDay = async ({ page }: Visit, filter: string): Promise<void> => {
  const chip = page.getByRole('button', { name: new RegExp(`^${filter}`) });
  await chip.getByRole('button', { name: /\d{4}/ }).click();
  await page.locator('button[aria-label="Previous month"]').click();
  await page.getByRole('gridcell', { name: '1', exact: true }).first().click();
  await page.keyboard.press('Escape');
};

const valuesOf = (query: URLSearchParams, parameter: string): string[] =>
  (query.get(parameter) ?? '')
    .replace(/^[A-Z_]+:/, '')
    .split(',')
    .filter(Boolean);

const FILTERS: readonly Filter[] = [
  {
    name: 'Event type',
    parameter: 'type',
    values: ['feature-created', 'feature-strategy-add'],
    fits: ({ type }, ticked) => ticked.includes(type),
  },
  {
    name: 'Feature Flag',
    parameter: 'feature',
    values: ['rich'],
    fits: ({ featureName }) => featureName === 'rich',
  },
  {
    name: 'Created by',
    parameter: 'createdBy',
    values: ['Unleash Admin Token'],
    fits: ({ createdBy }) => createdBy === 'admin',
  },
];
const BY_PROJECT: Filter = {
  name: 'Project',
  parameter: 'project',
  values: ['Alpha'],
  fits: ({ project }) => project === 'alpha',
};
const BY_ENVIRONMENT: Filter = {
  name: 'Environment',
  parameter: 'environment',
  values: ['production'],
  fits: ({ environment }) => environment === 'production',
};

const narrowDown = async (visit: Visit): Promise<void> => {
  await visit.open('/history');
  for (const filter of FILTERS) await addFilter(visit, filter);
  await visit.page
    .getByRole('textbox', { name: /^Search/ })
    .first()
    .fill('remoteAddress');
  await showsResponse(
    visit,
    'with a text',
    (query) => query.get('query') === 'remoteAddress' && query.has('createdBy'),
  );
  await visit.picture('event-log-filters');
};

const chooseProject = async (visit: Visit): Promise<void> => {
  await visit.open('/history');
  await addFilter(visit, BY_PROJECT);
  if (isAtLeast(visit.version, '7.0.0')) await addFilter(visit, BY_ENVIRONMENT);
  await visit.picture('event-log-project');
};

const chooseDays = async (visit: Visit): Promise<void> => {
  await visit.open('/history');
  await pickEarlierDay(visit, 'Date To');
  await showsResponse(visit, 'until a day', (query) => query.get('to')?.endsWith('-01') === true);
  await pickEarlierDay(visit, 'Date From');
  await showsResponse(visit, 'from a day until a day', (query) =>
    [query.get('from'), query.get('to')].every((day) => day?.endsWith('-01') === true),
  );
  await visit.picture('event-log-dates');
};

export const eventLogFilters: Journey = {
  name: 'filters of the event log',
  edition: 'enterprise',
  operations: ['search events'],
  walk: async (visit) => {
    await narrowDown(visit);
    await chooseProject(visit);
    await chooseDays(visit);
  },
};
