import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../data/db.js';
import type { EventRow } from '../../data/events/event-rows.sql.js';
import { serverOf } from '../../data/events/settled-log.sql.js';
import { ResponseBudgetError, ResultTooLargeError } from '../../data/work/byte-budget.js';
import {
  CancelledError,
  createSharedWork,
  currentWork,
  endWork,
  runAs,
  type Work,
} from '../../data/work/work.js';
import type { Actor } from '../actor.js';
import { BadDataError, OverloadedError, RateLimitError } from '../errors.js';
import { callerKey } from '../scan-limiter.js';
import { assertEventCriteria, type EventCriteria } from './event-criteria.js';
import { type EventFeed, shuttingDown } from './event-feed.js';
import { MAX_PER_CALLER, type Replay } from './replays.js';
import type { SettledLog } from './settled-log.js';
import { FIRST_PAGE, readFollowed } from './subscription-page.js';

/** A page is held in memory until the client has read it. */
const MAX_PAGE = { events: 1_000, characters: 250_000 };
/** The credentials of the caller are validated again this often. */
const RENEW_EVERY_MS = 4_000;
const POLL_EVERY_MS = 200;
/** How long an export waits for transactions that have written events. */
const MAX_WAIT_MS = 10_000;
/** How long an overloaded gateway or database delays an export before it fails, in tries. */
const MAX_TRIES = 5;
const RETRY_MS = 1_000;
const RETRY_AFTER_SECONDS = 10;

export type ExportInput = {
  criteria: EventCriteria;
  /** Starts after this event ID. */
  after: number;
  /** Ends with this event ID. Default: the watermark of the log. */
  upTo?: number | undefined;
};

/** Events and the actor they were read for: permissions can change during an export. */
export type ExportPage = { events: EventRow[]; actor: Actor };

type Pacing = {
  /** Authenticates the caller again. */
  renewActor: () => Promise<Actor>;
  /** Resolves when the caller may read this many further events. Default: at once. */
  charge?: (events: number, signal: AbortSignal) => Promise<void>;
  /** Whether no other client is delayed. Default: none ever is. */
  isAlone?: () => boolean;
};

export type EventExport = {
  /** ID of the last event it can contain. */
  upTo: number;
  /** Matching events, oldest first. Throws if it ends early. */
  pages: (pacing: Pacing) => AsyncGenerator<ExportPage, void>;
  /** Releases its slot. */
  end: () => void;
};

type End = {
  upTo: number;
  /** The server on which the log is complete up to there. Null if unknown. */
  server: string | null;
};

const assertRange = ({ after, upTo }: ExportInput, drawn: number): void => {
  const beyond = after > drawn ? 'after' : (upTo ?? 0) > drawn ? 'up-to' : null;
  if (beyond === null) return;
  throw BadDataError.of({ message: `'${beyond}' is beyond the end of the log, event ${drawn}.` });
};

/** Waits until the log is complete up to the end of the export: beyond it, events with smaller IDs may still appear. */
const findEnd = async (log: SettledLog, input: ExportInput, signal: AbortSignal): Promise<End> => {
  const startedAt = performance.now();
  while (performance.now() - startedAt < MAX_WAIT_MS) {
    const { settled, seesWriters, last, drawn } = await log.poll();
    assertRange(input, drawn);
    if (!seesWriters) return { upTo: input.upTo ?? last, server: null };
    const { upTo = settled?.bound ?? 0 } = input;
    if (settled && settled.bound >= upTo) return { upTo, server: serverOf(settled.epoch) };
    await delay(POLL_EVERY_MS, undefined, { signal }).catch(() => {
      throw new CancelledError();
    });
  }
  throw new OverloadedError(
    'A transaction that has written events is still open, so the end of the log is not known yet. Retry shortly.',
  );
};

const failedOver = () =>
  new OverloadedError('The database failed over to another server. Resume after the last event.');

/** Whether a smaller page, or the same one later, can be read. */
const afterFailure = (error: unknown, limit: number): { limit: number; waitMs: number } | null => {
  if (error instanceof ResultTooLargeError && limit > 1) {
    return { limit: Math.floor(limit / 2), waitMs: 0 };
  }
  const isBusy = error instanceof ResponseBudgetError || error instanceof OverloadedError;
  return isBusy ? { limit, waitMs: RETRY_MS } : null;
};

const createRenewal = (begin: Actor, renewActor: () => Promise<Actor>) => {
  let last = { actor: begin, at: performance.now() };
  return async (): Promise<Actor> => {
    if (performance.now() - last.at > RENEW_EVERY_MS) {
      last = { actor: await renewActor(), at: performance.now() };
    }
    return last.actor;
  };
};

type Running = {
  db: Db;
  feed: EventFeed;
  input: ExportInput;
  end: End;
  replay: Replay;
  parent: Work | undefined;
  signal: AbortSignal;
};

/** Reads one page in a unit of work of its own, which holds its memory until it ends. */
const readPage = async (
  { db, feed, input, end, parent, signal }: Running,
  actor: Actor,
  { after, limit: firstLimit }: { after: number; limit: number },
) => {
  let limit = firstLimit;
  for (let tries = 1; ; ) {
    const work = createSharedWork(parent, signal);
    const part = { after, bound: end.upTo, limit, isPast: isFiltered(input), max: MAX_PAGE };
    try {
      const page = await runAs(work, () => readFollowed(db, feed, actor, input, part));
      if (end.server !== null && page.server !== end.server) throw failedOver();
      return { ...page, release: () => endWork(work) };
    } catch (error) {
      endWork(work);
      const next = tries < MAX_TRIES && !signal.aborted ? afterFailure(error, limit) : null;
      if (next === null) throw error;
      if (next.waitMs > 0) tries += 1;
      limit = next.limit;
      await delay(next.waitMs, undefined, { signal });
    }
  }
};

/** The whole log is read along its key. Other filters may scan it. */
const isFiltered = ({ criteria }: ExportInput): boolean => Object.keys(criteria).length > 0;

async function* readPages(
  running: Running,
  begin: Actor,
  { renewActor, charge = async () => undefined, isAlone = () => true }: Pacing,
): AsyncGenerator<ExportPage, void> {
  const { feed, input, end, replay, signal } = running;
  const currentActor = createRenewal(begin, renewActor);
  let { after } = input;
  let limit = FIRST_PAGE;
  try {
    while (after < end.upTo) {
      const actor = await currentActor();
      const startedAt = performance.now();
      const { events, upTo, nextLimit, release } = await readPage(running, actor, { after, limit });
      const ms = performance.now() - startedAt;
      try {
        await charge(events.length, signal);
        signal.throwIfAborted();
        if (events.length > 0) yield { events, actor };
      } finally {
        release();
      }
      after = upTo;
      limit = nextLimit;
      if (!isAlone()) await replay.pace(ms);
      signal.throwIfAborted();
    }
  } catch (error) {
    throw feed.closed.aborted ? shuttingDown() : error;
  } finally {
    replay.end();
  }
}

/**
 * Starts an export of all matching events between two IDs, oldest first. It ends early, with an error, when the
 * credentials are no longer valid, the database fails over or the gateway stops.
 */
export const beginExport = async (
  db: Db,
  { feed, log }: { feed: EventFeed; log: SettledLog },
  actor: Actor,
  { signal: left, ...input }: ExportInput & { signal: AbortSignal },
): Promise<EventExport> => {
  assertEventCriteria(input.criteria);
  const signal = AbortSignal.any([left, feed.closed]);
  if (feed.closed.aborted) throw shuttingDown();
  const replay = feed.exports.tryBegin(callerKey(actor), signal);
  if (replay === null) {
    throw new RateLimitError(
      `Export limit reached: ${MAX_PER_CALLER} at a time. Retry when one of yours has ended.`,
      RETRY_AFTER_SECONDS,
    );
  }
  try {
    const end = await findEnd(log, input, signal);
    const running = { db, feed, input, end, replay, parent: currentWork(), signal };
    return {
      upTo: end.upTo,
      pages: (pacing) => readPages(running, actor, pacing),
      end: replay.end,
    };
  } catch (error) {
    replay.end();
    throw error;
  }
};
