import { type Db, Prisma } from '../../data/db.js';
import { readJson } from '../../data/read-rows.js';
import type { Actor } from '../actor.js';
import { BadDataError, InvalidOperationError } from '../errors.js';
import { assertEventCriteria, type EventCriteria, isHard } from './event-criteria.js';
import type { EventFeed, Follower } from './event-feed.js';
import { type EventRow, eventColumns, matchingEvents, parseEvents } from './event-query.js';
import { assertPossible, endOf } from './possible-criteria.js';

const LARGEST_PAGE = 100;
/** Payloads may be large, and each follower holds a page of them. */
const FIRST_PAGE = 10;
const PAGE_CHARACTERS = 500_000;
/** Where no index helps, a statement looks at so many ids. */
const PORTION = 20_000;

export type FollowInput = {
  criteria: EventCriteria;
  /** Starts behind this event; else with those that come from now on. */
  after?: number | undefined;
  hasPayload?: boolean;
};

type Caller = {
  /** Who calls with the same token by now. */
  renewActor: () => Promise<Actor>;
  /** Aborted when he has gone, whatever becomes of what he was given. */
  signal: AbortSignal;
};

/** An event, and who it was read for: what he may do can change while he follows. */
export type FollowedEvent = { event: EventRow; actor: Actor };

/** Refuses to begin behind the last event that can match. */
const assertToCome = ({ criteria, after }: FollowInput, bound: number | undefined): void => {
  const end = endOf(criteria);
  const name = end.isPast(after ?? bound ?? -1)
    ? 'id'
    : after === undefined && end.isLate()
      ? 'createdAt'
      : null;
  if (name === null) return;
  throw BadDataError.of({
    message: `No event that comes can match this filter: the log is already past what it asks of '${name}'. Search the log for it instead.`,
  });
};

const createRenewal = (
  begin: Actor,
  beat: Follower['beat'],
  renewActor: Caller['renewActor'],
): (() => Promise<Actor>) => {
  let last = { actor: begin, beat: beat() };
  return async () => {
    const now = beat();
    if (now !== last.beat) last = { actor: await renewActor(), beat: now };
    return last.actor;
  };
};

/** The next matching events of a part of the log, oldest first, and how far that part was looked through. */
const readOn = async (
  db: Db,
  feed: EventFeed,
  actor: Actor,
  { criteria, hasPayload = true }: FollowInput,
  { after, bound, limit }: { after: number; bound: number; limit: number },
): Promise<{ events: EventRow[]; upTo: number; nextLimit: number }> => {
  const end = isHard(criteria) ? Math.min(bound, after + PORTION) : bound;
  const select = Prisma.sql`select ${eventColumns(hasPayload)} from events e
    where ${matchingEvents(actor, criteria)} and e.id > ${after} and e.id <= ${end} order by e.id limit ${limit}`;
  // What an actor may see is part of the statement.
  const key = JSON.stringify([select.sql, select.values]);
  const { events, characters } = await feed.share(key, async () => {
    const json = await readJson(db, select);
    return { events: parseEvents<EventRow>(json), characters: json?.length ?? 1 };
  });
  const fitting = Math.floor((PAGE_CHARACTERS * events.length) / characters);
  return {
    events,
    upTo: events.length < limit ? end : (events.at(-1)?.id ?? end),
    nextLimit: Math.min(LARGEST_PAGE, Math.max(1, fitting || FIRST_PAGE)),
  };
};

async function* follow(
  db: Db,
  feed: EventFeed,
  follower: Follower,
  currentActor: () => Promise<Actor>,
  input: FollowInput,
): AsyncGenerator<FollowedEvent, void> {
  // Who does not say where begins where the log ends, as soon as that is known.
  let upTo = input.after ?? follower.reach()?.bound ?? null;
  let limit = FIRST_PAGE;
  let reached = Math.max(upTo ?? 0, follower.reach()?.bound ?? 0);
  const end = endOf(input.criteria);
  const assertGoesOn = () => {
    if (upTo === null) return;
    const isCaughtUp = (follower.reach()?.bound ?? Number.POSITIVE_INFINITY) <= upTo;
    if (end.isPast(upTo) || (isCaughtUp && end.isOver())) {
      throw new InvalidOperationError(
        'The stream is at its end: no event can match the filter any more.',
      );
    }
  };
  for (assertGoesOn(); await follower.waitBeyond(upTo); assertGoesOn()) {
    const actor = await currentActor();
    const reach = follower.reach();
    if (reach === null) continue;
    const { bound, drawn } = reach;
    // Numbers that were handed out before will be handed out again, to other events.
    if (drawn < reached) {
      throw new InvalidOperationError(
        'The log has become shorter than it was. Look what is there, and follow it anew.',
      );
    }
    reached = Math.max(reached, bound);
    upTo ??= bound;
    if (bound <= upTo) continue;
    const read = await readOn(db, feed, actor, input, { after: upTo, bound, limit });
    limit = read.nextLimit;
    let isSame = true;
    for (const event of read.events) {
      await feed.turn();
      // Some time may have passed until the last event was taken; what is left is then read anew.
      isSame = (await currentActor()).identity === actor.identity;
      if (!isSame) break;
      yield { event, actor };
      upTo = event.id;
    }
    if (isSame) upTo = read.upTo;
  }
}

/**
 * The matching events behind a place in the log and then those that are recorded from now on, each once and in the order
 * of their ids. An event is shown when none with a smaller id can appear any more. Who calls is asked for anew every few
 * seconds; it ends with an error when his token is no longer good, and without one when the gateway stops.
 */
export const followEvents = async (
  db: Db,
  feed: EventFeed,
  actor: Actor,
  { renewActor, signal, ...input }: FollowInput & Caller,
): Promise<AsyncIterableIterator<FollowedEvent, void>> => {
  assertEventCriteria(input.criteria);
  assertPossible(input.criteria);
  // What is wrong with a path shows here, before the stream begins.
  matchingEvents(actor, input.criteria);

  const follower = await feed.join(actor.identity);
  try {
    if (input.after !== undefined && input.after > follower.drawn) {
      throw BadDataError.of({ message: `'after' lies behind the end of the log.` });
    }
    assertToCome(input, follower.reach()?.bound);
  } catch (error) {
    follower.leave();
    throw error;
  }
  const leave = () => {
    signal.removeEventListener('abort', leave);
    follower.leave();
  };
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();

  async function* run() {
    try {
      yield* follow(db, feed, follower, createRenewal(actor, follower.beat, renewActor), input);
    } finally {
      leave();
    }
  }
  const events = run();
  const iterator: AsyncIterableIterator<FollowedEvent, void> = {
    next: () => events.next(),
    return: () => {
      // A generator that has not begun never comes to its end, and one that waits hears of it only after that.
      leave();
      return events.return();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
};
