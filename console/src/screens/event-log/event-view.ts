import type { EventCategory, EventFilter, EventType } from '../../generated/documents.js';

/** What the event log shows: the state of the URL. */
export type EventView = {
  text: string;
  author: string;
  project: string;
  feature: string;
  environment: string;
  /** A category such as `FEATURE`, or one type. */
  category: string;
  type: string;
  /** Days, such as `2026-10-15`; `to` is included. */
  from: string;
  to: string;
  /** The opened event. */
  event: string;
};

export const EMPTY_VIEW: EventView = {
  text: '',
  author: '',
  project: '',
  feature: '',
  environment: '',
  category: '',
  type: '',
  from: '',
  to: '',
  event: '',
};

const KEYS = Object.keys(EMPTY_VIEW) as (keyof EventView)[];

const MAX_ID = 2_147_483_647;

const isEventId = (text: string): boolean => /^\d{1,10}$/.test(text) && Number(text) <= MAX_ID;

export const readView = (search: string): EventView => {
  const parameters = new URLSearchParams(search);
  const view = Object.fromEntries(KEYS.map((key) => [key, parameters.get(key) ?? ''])) as EventView;
  // A link may have been cut, or written by hand.
  return {
    ...view,
    from: isDay(view.from) ? view.from : '',
    to: isDay(view.to) ? view.to : '',
    event: isEventId(view.event) ? view.event : '',
  };
};

export const writeView = (view: EventView): string => {
  const entries = KEYS.flatMap((key) => (view[key] === '' ? [] : [[key, view[key]]]));
  return new URLSearchParams(entries).toString();
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const [FIRST_DAY, LAST_DAY] = ['0001-01-01', '9999-12-31'];

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Whether it is in the calendar, and in the years that the graph accepts. */
const isDay = (text: string): boolean =>
  DAY.test(text) &&
  text >= FIRST_DAY &&
  !Number.isNaN(startOf(text)) &&
  new Date(startOf(text)).toISOString().startsWith(text);

const dayAfter = (day: string): string => new Date(startOf(day) + DAY_MS).toISOString();

const is = (value: string) => (value === '' ? undefined : { is: value });

/** The filter of the graph; null conditions are ignored. */
export const filterOf = (view: EventView): EventFilter => {
  // The days may be given in either order.
  const isReversed = view.from !== '' && view.to !== '' && view.from > view.to;
  const [first, last] = isReversed ? [view.to, view.from] : [view.from, view.to];
  const from = first === '' ? undefined : `${first}T00:00:00Z`;
  const before = last === '' || last === LAST_DAY ? undefined : dayAfter(last);
  const text = view.text.trim();
  const type = {
    ...(view.category !== '' && { category: [view.category as EventCategory] }),
    ...(view.type !== '' && { is: view.type as EventType }),
  };
  return {
    ...(text !== '' && { text }),
    ...(view.author !== '' && { createdBy: is(view.author) }),
    ...(view.project !== '' && { projectId: is(view.project) }),
    ...(view.feature !== '' && { featureName: is(view.feature) }),
    ...(view.environment !== '' && { environmentName: is(view.environment) }),
    ...(Object.keys(type).length > 0 && { type }),
    ...((from ?? before) && { createdAt: { ...(from && { from }), ...(before && { before }) } }),
  };
};

/** Parameters of `/export/`: exactly the filter that the page shows. */
export const exportSearch = (view: EventView): string =>
  new URLSearchParams({ filter: JSON.stringify(filterOf(view)) }).toString();
