import { type Db, Prisma } from '../db.js';
import { type EventViewer, matchingEvents } from '../events/event-conditions.sql.js';
import { milliseconds, readLists } from '../sql/read-rows.sql.js';
import { deliveredValue } from './delivery-conditions.sql.js';

/** The parts of an integration that decide whether it receives an event; JSON from any Unleash version. */
export type Subscription = {
  enabled: boolean | null;
  events: unknown;
  projects: unknown;
  environments: unknown;
  createdAt: Date | null;
};

export type AnnouncedEvent = {
  type: string;
  projectId: string | null;
  environment: string | null;
  createdAt: Date | null;
  /** Whether Unleash has announced the event to its listeners. */
  announced: boolean;
};

/** With timestamps as `readLists` returns them. */
type Stored<Row> = Omit<Row, 'createdAt'> & { createdAt: number | null };

type Lists = {
  integrations: Stored<Subscription & { id: number }>[];
  events: Stored<AnnouncedEvent>[];
  deliveries: { integrationId: number; last: string }[];
};

const withTime = <Row extends { createdAt: number | null }>(row: Row) => ({
  ...row,
  createdAt: row.createdAt === null ? null : new Date(row.createdAt),
});

/** Integrations, an event if the viewer may see it, and its last delivery to each of them. */
export const readDeliveryFacts = async (
  db: Db,
  viewer: EventViewer,
  integrationIds: readonly number[],
  eventId: number,
) => {
  const { integrations, events, deliveries } = await readLists<Lists>(db, {
    integrations: Prisma.sql`
      select a.id, a.enabled, a.events, a.projects, a.environments,
        ${milliseconds(Prisma.sql`a.created_at`)} as "createdAt"
      from addons a where a.id = any(${integrationIds}::int[])`,
    events: Prisma.sql`
      select e.type, e.project as "projectId", e.environment, e.announced,
        ${milliseconds(Prisma.sql`e.created_at`)} as "createdAt"
      from events e where ${matchingEvents(viewer, { ids: [eventId] })}`,
    deliveries: Prisma.sql`
      select d.integration_id as "integrationId", max(d.id)::text as last from integration_events d
      where d.integration_id = any(${integrationIds}::int[])
        and ${deliveredValue('id')} = to_jsonb(${eventId}::int)
      group by 1`,
  });
  return {
    integrations: integrations.map(withTime),
    event: events.map(withTime)[0],
    lastOf: new Map(deliveries.map(({ integrationId, last }) => [integrationId, BigInt(last)])),
  };
};
