import type { Sink } from '../world/integrations.js';
import type { Sql } from '../world/sql.js';
import { at } from './requests.js';

export type EventRow = {
  id: number;
  type: string;
  feature_name: string;
  project: string;
  environment: string | null;
  created_by: string;
  created_by_user_id: number;
  announced: boolean;
  data: unknown;
};

type Integration = {
  id: number;
  path: string;
  events: string[];
  projects: string[];
  environments: string[];
};

/** Deliveries to the sink, by integration path and event. */
export type Deliveries = {
  /** Integration paths that must receive the event, exactly once each. */
  expected(event: EventRow): string[];
  /** How often a path has received an event. */
  count(path: string, eventId: number): number;
  /** Events that a path has received more than once. */
  doubled(): string[];
  /** The event in its first delivery. */
  body(path: string, eventId: number): unknown;
};

const readIntegrations = async (sql: Sql, sink: Sink): Promise<Integration[]> => {
  const rows = await sql.query<Integration & { url: string }>(
    `select id, parameters->>'url' as url, events, projects, environments
     from addons where enabled and provider = 'webhook' order by id`,
  );
  return rows
    .filter(({ url }) => url.startsWith(sink.url))
    .map(({ url, ...rest }) => ({ ...rest, path: url.slice(sink.url.length) }));
};

const passes = (allowed: readonly string[], value: string | null) =>
  allowed.length === 0 || allowed[0] === '*' || value === null || allowed.includes(value);

const listens = ({ events, projects, environments }: Integration, event: EventRow) =>
  events.includes(event.type) &&
  passes(projects, event.project) &&
  passes(environments, event.environment);

/** One template of the world prefixes the event with text and embeds it in a JSON string. */
const readBody = (body: string): unknown => {
  try {
    const text = body.startsWith('{') ? body : JSON.parse(body.slice(body.indexOf('"{')));
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};

export const readDeliveries = async (sql: Sql, sink: Sink): Promise<Deliveries> => {
  const integrations = await readIntegrations(sql, sink);
  const arrived = new Map<string, unknown[]>();
  let seen = 0;

  const catchUp = () => {
    for (; seen < sink.received.length; seen++) {
      const { path, body } = sink.received[seen] ?? { path: '', body: '' };
      const event = readBody(body);
      // Providers other than webhooks send text instead of the event.
      if (at(event, 'id') === undefined) continue;
      const key = `${path} ${at(event, 'id')}`;
      arrived.set(key, [...(arrived.get(key) ?? []), event]);
    }
  };
  const find = (path: string, eventId: number) => {
    catchUp();
    return arrived.get(`${path} ${eventId}`) ?? [];
  };
  return {
    expected: (event) =>
      integrations.filter((integration) => listens(integration, event)).map(({ path }) => path),
    doubled: () => {
      catchUp();
      return [...arrived].flatMap(([key, { length }]) =>
        length > 1 ? [`${key}: ${length} times`] : [],
      );
    },
    count: (path, eventId) => find(path, eventId).length,
    body: (path, eventId) => find(path, eventId)[0],
  };
};

export const readEvents = (sql: Sql, names: readonly string[]): Promise<EventRow[]> =>
  sql.query<EventRow>(
    `select id, type, feature_name, project, environment, created_by, created_by_user_id, announced, data
     from events where feature_name = any($1) order by id`,
    [names],
  );

/** Whether all expected deliveries of these events have arrived. */
export const haveArrived = (deliveries: Deliveries, events: readonly EventRow[]): boolean =>
  events.every((event) =>
    deliveries.expected(event).every((path) => deliveries.count(path, event.id) > 0),
  );

const recordOf = async (sql: Sql, eventId: number): Promise<string> => {
  const records = await sql.query<{ state: string; state_details: string }>(
    `select state, state_details from integration_events where event->>'id' = $1 order by id`,
    [String(eventId)],
  );
  const states = records.map(({ state, state_details }) => `${state} ${state_details}`).join(', ');
  return `upstream's records: ${states || 'none'}`;
};

/** Events that were not delivered exactly once. */
export const wrongNumbers = async (
  { sql, deliveries }: { sql: Sql; deliveries: Deliveries },
  events: readonly EventRow[],
): Promise<string[]> => {
  const wrong: string[] = [];
  for (const event of events) {
    for (const path of deliveries.expected(event)) {
      const count = deliveries.count(path, event.id);
      if (count === 1) continue;
      const what = `${event.type} ${event.id} of ${event.feature_name}`;
      const record = await recordOf(sql, event.id);
      wrong.push(`${what} arrived ${count} times at ${path}; ${record}`);
    }
  }
  return wrong;
};
