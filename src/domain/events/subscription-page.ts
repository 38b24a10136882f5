import type { Db } from '../../data/db.js';
import { matchingEvents } from '../../data/events/event-conditions.sql.js';
import { readNextEvents } from '../../data/events/event-pages.sql.js';
import { type EventRow, parseEvents } from '../../data/events/event-rows.sql.js';
import { withTimeout } from '../../data/work/single-flight.js';
import { countSize, runForAll } from '../../data/work/work.js';
import type { Actor } from '../actor.js';
import { callerOf } from '../scan-limiter.js';
import { type EventCriteria, isHard } from './event-criteria.js';
import type { EventFeed } from './event-feed.js';

export const FIRST_PAGE = 10;
const MAX_PAGE = 100;
/** IDs that one statement searches if no index helps. */
const PORTION = 20_000;

type Wanted = { criteria: EventCriteria; hasPayload?: boolean };
type Part = {
  after: number;
  bound: number;
  limit: number;
  /** Whether the read waits for its turn among scans of the log. */
  isPast: boolean;
  /** Most events of the next page, and about how many characters they have. Default: those of a subscription. */
  max?: { events: number; characters: number };
};
type Page = {
  events: EventRow[];
  /** How far the log was searched. */
  upTo: number;
  /** Size of the next page, so that it has about as many characters as allowed. */
  nextLimit: number;
  server: string;
};

/** The next matching events of a range of the log, oldest first. */
export const readFollowed = async (
  db: Db,
  feed: EventFeed,
  actor: Actor,
  { criteria, hasPayload = true }: Wanted,
  { after, bound, limit, isPast, max }: Part,
): Promise<Page> => {
  const end = isHard(criteria) ? Math.min(bound, after + PORTION) : bound;
  const matching = matchingEvents(actor, criteria);
  const read = async () => {
    const found = await withTimeout(
      feed.responseTimeoutMs,
      readNextEvents(db, { matching, after, upTo: end, limit, hasPayload }),
    );
    const events = await parseEvents<EventRow>(found.rows);
    return { events, characters: found.rows?.length ?? 1, server: found.server };
  };
  // The statement includes what the actor may see, so only equal permissions share a read.
  const viewer = [actor.seesAllEvents, actor.visibleProjects];
  const key = JSON.stringify([viewer, criteria, hasPayload, after, end, limit]);
  const { events, characters, server } = await feed.share(key, () =>
    runForAll(() => (isPast ? feed.limiter.run(callerOf(actor), (turn) => turn(read)) : read())),
  );
  countSize(characters);
  const { events: maxEvents, characters: maxCharacters } = max ?? {
    events: MAX_PAGE,
    characters: feed.pageCharacters(),
  };
  const fittingCount = Math.floor((maxCharacters * events.length) / characters);
  return {
    events,
    upTo: events.length < limit ? end : (events.at(-1)?.id ?? end),
    nextLimit: events.length === 0 ? FIRST_PAGE : Math.min(maxEvents, Math.max(1, fittingCount)),
    server,
  };
};
