import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../data/db.js';
import { type LogSnapshot, readLogSnapshot, serverOf } from '../../data/events/settled-log.sql.js';
import { createSingleFlight, responseTimeout } from '../../data/work/single-flight.js';
import { onPrimary } from '../../data/work/work.js';
import { OverloadedError } from '../errors.js';

/** A prepared transaction has another virtual transaction ID than before. */
const PREPARED = /^-1\//;

/** Up to `bound` no event will appear any more; `epoch` identifies the state of the table in which that was found. */
export type Settled = {
  bound: number;
  epoch: string;
  /** When it was known. All these events were committed before. */
  at: number;
};

export type LogState = {
  /** Highest existing event ID. */
  last: number;
  /** Highest ID ever drawn, including those of deleted events; `last` if the sequence is not readable. */
  drawn: number;
  /** Watermark; null while a transaction with unknown event IDs is writing, and always without `seesWriters`. */
  settled: Settled | null;
  /** Changes when another server's log does not continue this one: delivered events are lost. */
  lineage: number;
  /** Whether writing transactions are visible; if not, the log never counts as settled. */
  seesWriters: boolean;
  /** Whether the epoch changes when events are deleted. */
  seesDeletes: boolean;
};

export type SettledLog = {
  /** Always queries the primary. */
  poll(): Promise<LogState>;
  /** The epoch of the primary, at most a second old. For reads that a replica served. */
  recentEpoch(): Promise<string>;
  /** Retries a read that a replaced server served; `mark` is a `LOG_EPOCH`. */
  readCurrent<Result extends { mark: string }>(read: () => Promise<Result>): Promise<Result>;
};

const RETRY_POLL_MS = 100;
const MAX_READS = 5;
const RECENT_MS = 1_000;
/** Number of replaced servers that are remembered. */
const MAX_RETIRED = 20;

const staleServer = () =>
  new OverloadedError('The database failed over to another server. Retry shortly.');

/** Tracks the servers that answer. A replaced one never returns, because a restart changes its epoch. */
const createServers = () => {
  let current: string | null = null;
  const retired = new Set<string>();
  return {
    isRetired: (epoch: string): boolean => retired.has(serverOf(epoch)),
    /** Whether another server answered before. */
    meet: (epoch: string): boolean => {
      const server = serverOf(epoch);
      const isOther = current !== null && current !== server;
      if (isOther && current !== null) retired.add(current);
      for (const oldest of retired) {
        if (retired.size <= MAX_RETIRED) break;
        retired.delete(oldest);
      }
      current = server;
      return isOther;
    },
  };
};

/**
 * Finds the watermark of the log. IDs are drawn before they are committed, so the highest one is final only when
 * every transaction that was writing when it was seen has finished. On a replica, or if events come from another
 * server, the writers are not visible.
 */
export const createSettledLog = (db: Db, responseTimeoutMs = responseTimeout()): SettledLog => {
  const servers = createServers();
  let settled: Settled | null = null;
  let waiting: { last: number; epoch: string; writers: ReadonlySet<string> } | null = null;
  let known: { bound: number; tail: string | null } = { bound: 0, tail: null };
  let lineage = 0;
  let latest: { epoch: string; at: number } | null = null;

  const updateWatermark = ({
    last,
    mark: epoch,
    writers,
    nextTail,
  }: LogSnapshot): Settled | null => {
    if (settled && (settled.epoch !== epoch || settled.bound > last)) settled = null;
    const isNext = waiting === null || (waiting.epoch === epoch && waiting.last <= last);
    if (!isNext) waiting = null;
    const seen = { last, epoch, writers: new Set(writers) };
    waiting ??= seen;
    const { writers: awaited } = waiting;
    const stillWriting = writers.some((writer) => awaited.has(writer) || PREPARED.test(writer));
    if (!stillWriting) {
      settled = { bound: waiting.last, epoch, at: performance.now() };
      // `nextTail` is the fingerprint of the bound that was awaited before.
      if (isNext) known = { bound: waiting.last, tail: nextTail };
      waiting = writers.length === 0 ? null : seen;
    }
    return settled;
  };

  /** After a failover, a standby that lacks the last events of its primary continues with another log. */
  const compareLogs = ({ mark: epoch, knownTail }: LogSnapshot) => {
    if (servers.meet(epoch) && knownTail !== known.tail) lineage += 1;
  };

  const readSnapshot = async (isCurrent: () => boolean): Promise<LogSnapshot> => {
    for (;;) {
      const query = { next: waiting?.last ?? null, known: known.bound };
      const at = performance.now();
      const found = await onPrimary(() => readLogSnapshot(db, query));
      // A late answer would treat writers as finished that it has not seen yet.
      if (!isCurrent()) throw staleServer();
      if (!servers.isRetired(found.mark)) {
        latest = { epoch: found.mark, at };
        return found;
      }
      await delay(RETRY_POLL_MS);
    }
  };

  const poll = createSingleFlight(async (isCurrent) => {
    const found = await readSnapshot(isCurrent);
    const { last, seesWriters, seesDeletes } = found;
    if (seesWriters) compareLogs(found);
    const drawn = Math.max(last, found.drawn);
    return {
      last,
      drawn,
      settled: seesWriters ? updateWatermark(found) : null,
      lineage,
      seesWriters,
      seesDeletes,
    };
  }, responseTimeoutMs);

  return {
    poll,
    recentEpoch: async () => {
      if (!latest || performance.now() - latest.at > RECENT_MS) await poll();
      return latest?.epoch ?? '';
    },
    readCurrent: async (read) => {
      for (let reads = 1; reads <= MAX_READS; reads += 1) {
        const found = await read();
        if (!servers.isRetired(found.mark)) return found;
        await delay(RETRY_POLL_MS);
      }
      throw staleServer();
    },
  };
};
