import type { Db } from '../../data/db.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import { withTimeout } from '../../data/work/single-flight.js';
import type { Actor } from '../actor.js';
import { BadDataError, InvalidOperationError, OverloadedError } from '../errors.js';
import { callerKey } from '../scan-limiter.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import type { EventFeed, Follower } from './event-feed.js';
import { assertPossible, endOf } from './possible-criteria.js';
import type { Replay } from './replays.js';
import { FIRST_PAGE, readFollowed } from './subscription-page.js';

/** A subscription that starts further behind than this replays the past first, which is limited. */
const LIVE_IDS = 100;

export type FollowInput = {
  criteria: EventCriteria;
  /** Starts after this event; by default, with new events. */
  after?: number | undefined;
  hasPayload?: boolean;
};

type Caller = {
  /** Authenticates the token again. */
  renewActor: () => Promise<Actor>;
  /** Aborted when the client has disconnected, whatever happens to the iterator it was given. */
  signal: AbortSignal;
};

/** An event and the actor it was read for: permissions can change while the subscription runs. */
export type FollowedEvent = { event: EventRow; actor: Actor };

/** Rejects starting beyond the last event that can match. */
const assertToCome = ({ criteria, after }: FollowInput, bound: number | undefined): void => {
  const end = endOf(criteria);
  const name = end.isPast(after ?? bound ?? -1)
    ? 'id'
    : after === undefined && end.isLate()
      ? 'createdAt'
      : null;
  if (name === null) return;
  throw BadDataError.of({
    message: `No future event can match this filter: the log is already past its range of '${name}'. Search existing events with Query.events instead.`,
  });
};

const createRenewal = (
  begin: Actor,
  renewalTick: Follower['renewalTick'],
  renewActor: Caller['renewActor'],
  responseTimeoutMs: number,
): (() => Promise<Actor>) => {
  let last = { actor: begin, tick: renewalTick() };
  return async () => {
    const now = renewalTick();
    if (now !== last.tick) {
      last = { actor: await withTimeout(responseTimeoutMs, renewActor()), tick: now };
    }
    return last.actor;
  };
};

const otherLog = () =>
  new InvalidOperationError(
    'The event log lost events, as after a failover or a restore from a backup. Read it again and subscribe without a cursor.',
  );

/** Longest time that events may come from another server than the one polled. */
const MAX_CONFLICT_MS = 10_000;

const conflictingServers = () =>
  new OverloadedError(
    'Several database servers respond, as during a failover. Reconnect with your last cursor.',
  );

async function* follow(
  db: Db,
  feed: EventFeed,
  follower: Follower,
  currentActor: () => Promise<Actor>,
  { signal, ...input }: FollowInput & Pick<Caller, 'signal'>,
): AsyncGenerator<FollowedEvent, void> {
  // Without `after`, starts at the end of the log, as soon as that is known.
  let upTo = input.after ?? follower.watermark()?.bound ?? null;
  let limit = FIRST_PAGE;
  let reached = Math.max(upTo ?? 0, follower.watermark()?.bound ?? 0);
  let lineage = follower.watermark()?.lineage;
  let replay: Replay | null = null;
  let conflictingSince: number | null = null;
  let hasCaughtUp = input.after === undefined;
  const end = endOf(input.criteria);
  const assertGoesOn = () => {
    if (upTo === null) return;
    const isCaughtUp = (follower.watermark()?.bound ?? Number.POSITIVE_INFINITY) <= upTo;
    if (end.isPast(upTo) || (isCaughtUp && end.isOver())) {
      throw new InvalidOperationError('Stream complete: no further event can match the filter.');
    }
  };
  try {
    for (assertGoesOn(); await follower.waitBeyond(upTo); assertGoesOn()) {
      const actor = await currentActor();
      const watermark = follower.watermark();
      if (watermark === null) continue;
      const { bound, drawn, server } = watermark;
      lineage ??= watermark.lineage;
      // IDs drawn before will be drawn again, or delivered events are gone.
      if (drawn < reached || lineage !== watermark.lineage) throw otherLog();
      reached = Math.max(reached, bound);
      upTo ??= bound;
      if (bound <= upTo) continue;
      const isPast = !hasCaughtUp && bound - upTo > LIVE_IDS;
      hasCaughtUp = !isPast;
      if (isPast) {
        replay ??= await feed.replays.begin(callerKey(actor), signal);
        if (!replay) return;
      }
      const read = await readFollowed(db, feed, actor, input, {
        after: upTo,
        bound,
        limit,
        isPast,
      });
      if (read.server !== server) {
        // Events missing on a replaced server, or on one about to take over, would be skipped.
        conflictingSince ??= performance.now();
        if (performance.now() - conflictingSince > MAX_CONFLICT_MS) throw conflictingServers();
        if (!(await follower.waitForPoll())) return;
        continue;
      }
      conflictingSince = null;
      limit = read.nextLimit;
      let isSame = true;
      for (const event of read.events) {
        await feed.turn();
        // The client may have taken its time with the last event; if permissions changed, the rest is read again.
        isSame = (await currentActor()).identity === actor.identity;
        if (!isSame) break;
        const shownAt = performance.now();
        yield { event, actor };
        upTo = event.id;
        await replay?.pace(performance.now() - shownAt);
      }
      if (isSame) upTo = read.upTo;
      if (!isPast) {
        replay?.end();
        replay = null;
      }
    }
  } finally {
    replay?.end();
  }
}

/**
 * Yields matching events after a position in the log, then new ones, each once and in ID order. An event is delivered
 * once no smaller ID can appear any more. The token is validated every few seconds: the stream ends with an error if
 * it is no longer valid, and without one when the gateway stops.
 */
export const followEvents = async (
  db: Db,
  feed: EventFeed,
  actor: Actor,
  { renewActor, signal, ...input }: FollowInput & Caller,
): Promise<AsyncIterableIterator<FollowedEvent, void>> => {
  assertEventCriteria(input.criteria);
  assertPossible(input.criteria);

  const follower = await feed.join(actor.identity);
  try {
    if (input.after !== undefined && input.after > follower.drawn) {
      throw BadDataError.of({ message: `'after' is beyond the end of the log.` });
    }
    assertToCome(input, follower.watermark()?.bound);
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
      const renewal = createRenewal(
        actor,
        follower.renewalTick,
        renewActor,
        feed.responseTimeoutMs,
      );
      yield* follow(db, feed, follower, renewal, { ...input, signal });
    } finally {
      leave();
    }
  }
  const events = run();
  const iterator: AsyncIterableIterator<FollowedEvent, void> = {
    next: () => events.next(),
    return: () => {
      // A generator that has not started never runs its `finally`, and one that waits runs it only afterwards.
      leave();
      return events.return();
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
};
