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

export const readView = (search: string): EventView => {
  const parameters = new URLSearchParams(search);
  return Object.fromEntries(KEYS.map((key) => [key, parameters.get(key) ?? ''])) as EventView;
};

export const writeView = (view: EventView): string => {
  const entries = KEYS.flatMap((key) => (view[key] === '' ? [] : [[key, view[key]]]));
  return new URLSearchParams(entries).toString();
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString();

const is = (value: string) => (value === '' ? undefined : { is: value });

/** The filter of the graph; null conditions are ignored. */
export const filterOf = (view: EventView): EventFilter => {
  const from = DAY.test(view.from) ? `${view.from}T00:00:00Z` : undefined;
  const before = DAY.test(view.to) ? dayAfter(view.to) : undefined;
  const type = {
    ...(view.category !== '' && { category: [view.category as EventCategory] }),
    ...(view.type !== '' && { is: view.type as EventType }),
  };
  return {
    ...(view.text !== '' && { text: view.text }),
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
