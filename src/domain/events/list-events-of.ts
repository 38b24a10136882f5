import { type Db, Prisma } from '../../data/db.js';
import { groupBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { type EventRow, eventColumns, matchingEvents, readEvents } from './event-query.js';
import { eventPage } from './list-events.js';

export type EventOwner = 'feature' | 'project';

export const ownerColumn = (owner: EventOwner): Prisma.Sql =>
  owner === 'feature' ? Prisma.sql`e.feature_name` : Prisma.sql`e.project`;

/** One page of events for each of many features or projects, in one statement. */
export const listEventsOf = async (
  db: Db,
  actor: Actor,
  {
    owner,
    keys,
    criteria,
    page,
    hasPayload = true,
  }: {
    owner: EventOwner;
    keys: readonly string[];
    criteria: EventCriteria;
    page: KeysetPage<number>;
    hasPayload?: boolean;
  },
): Promise<ReadonlyMap<string, Slice<EventRow>>> => {
  assertEventCriteria(criteria);

  const { bounds, order } = eventPage(page);
  const rows = await readEvents<EventRow & { key: string }>(
    db,
    Prisma.sql`
    select owner.key, page.* from unnest(${keys}::text[]) as owner(key)
    cross join lateral (
      select ${eventColumns(hasPayload)} from events e
      where ${ownerColumn(owner)} = owner.key and ${matchingEvents(actor, criteria)} ${bounds} ${order}
    ) page order by page.id ${page.backward ? Prisma.sql`asc` : Prisma.sql`desc`}`,
  );

  const rowsOf = groupBy(rows, (row) => row.key);
  return new Map(keys.map((key) => [key, sliceOf<EventRow>(rowsOf.get(key) ?? [], page)]));
};
