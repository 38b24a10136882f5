import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import type { Replica } from '../replicas/replica.js';
import {
  type ByteBudget,
  NO_OWNER,
  ResponseBudgetError,
  ResultTooLargeError,
  UNKNOWN_BODIES,
} from './byte-budget.js';
import type { Sender, TimeSlicer } from './time-slicer.js';

/** Database usage of one piece of work. */
export type Usage = {
  statements: number;
  rows: number;
  /** Time from sending statements to their results, in total: concurrent statements add up. */
  databaseMs: number;
  /** Time spent waiting for connections, in total. */
  waitedMs: number;
  /** Characters of the results. */
  size: number;
  /** Bytes reserved from the budget by each owner. Null once the work has ended. */
  reserved: Map<string, number> | null;
};

/** Writes made so far. */
export type Writes = {
  /** Set once the work is known to write. */
  isWriting: boolean;
  /** Names of created features. */
  readonly created: Set<string>;
  /** Names of features whose creation was sent but not confirmed. True if a retry is safe. */
  readonly unknown: Map<string, boolean>;
};

export type Work = {
  /** Bounds its memory. Absent for the command line. */
  readonly budget?: ByteBudget | undefined;
  /** Whose share of connections and memory it uses. NO_OWNER until the caller is authenticated. */
  owner: string;
  /** Credentials that were valid before. Their share of memory is used until there is an owner. */
  recognized?: string | undefined;
  /** Aborted when no caller waits for the result any more. */
  readonly signal: AbortSignal;
  readonly usage: Usage;
  readonly writes: Writes;
  /** The caller requested the cost of the work, so none of it is shared with other callers. */
  readonly isMeasured: boolean;
  /** It only reads, and data that is a second old is new enough. */
  mayReadReplica: boolean;
  /** The replica that answers its reads. Null: the primary. Undefined: not chosen yet. */
  replica?: Replica | null | undefined;
  /** The client that sent it. Unset until the caller is authenticated. */
  sender?: Sender | undefined;
  /** Set while a large operation runs in slices. */
  slicer?: TimeSlicer | undefined;
  /** The pauses of long computations. Large operations take turns of their slicer instead. */
  pauses?: TimeSlicer | undefined;
};

/** No caller waits for the result: the client has disconnected, or was sent a timeout. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';

  constructor() {
    super('the result is no longer needed');
  }
}

const NEVER = new AbortController().signal;
const storage = new AsyncLocalStorage<Work>();

type WorkOptions = Partial<
  Pick<Work, 'isMeasured' | 'budget' | 'owner' | 'recognized' | 'mayReadReplica' | 'sender'>
>;

export const createWork = (
  signal: AbortSignal = NEVER,
  {
    isMeasured = false,
    budget,
    owner = NO_OWNER,
    recognized,
    mayReadReplica = false,
    sender,
  }: WorkOptions = {},
): Work => {
  // A work can wait for any number of statements at once.
  setMaxListeners(0, signal);
  return {
    signal,
    usage: { statements: 0, rows: 0, databaseMs: 0, waitedMs: 0, size: 0, reserved: new Map() },
    writes: { isWriting: false, created: new Set(), unknown: new Map() },
    isMeasured,
    budget,
    owner,
    recognized,
    mayReadReplica,
    sender,
  };
};

export const currentWork = (): Work | undefined => storage.getStore();

/** Runs as part of `work`: statements count for it and are cancelled with it. */
export const runAs = <Result>(work: Work, run: () => Result): Result => storage.run(work, run);

/** Runs outside of any work, such as for a read that several callers share: no caller that leaves cancels it. */
export const runDetached = <Result>(run: () => Result): Result => storage.exit(run);

/**
 * Runs something that must not be interrupted, such as a commit: it counts for the caller but is not cancelled with it.
 */
export const runUncancelled = <Result>(run: () => Result): Result => {
  const work = currentWork();
  return work ? storage.run({ ...work, signal: NEVER }, run) : run();
};

/** From here on, replicas may answer the reads of the current work. Called once its caller is authenticated. */
export const allowReplica = (): void => {
  const work = currentWork();
  if (work) work.mayReadReplica = true;
};

/** Runs as part of the current work, on the primary only. */
export const onPrimary = <Result>(run: () => Result): Result => {
  const work = currentWork();
  return work?.mayReadReplica
    ? storage.run({ ...work, mayReadReplica: false, replica: null }, run)
    : run();
};

/** From here on, an interruption must report what may have been written. */
export const beginWriting = (): void => {
  const work = currentWork();
  if (work) work.writes.isWriting = true;
};

/**
 * Counts the time from now until the event loop proceeds for the sender of the current work. To be called in a promise
 * callback, where something that the work has waited for is there.
 */
export const recordContinuation = (): void => {
  const sender = currentWork()?.sender;
  if (!sender) return;
  const startedAt = performance.now();
  process.nextTick(() => sender.recordTime(performance.now() - startedAt));
};

/** Throws if no caller waits for the result any more. */
export const assertNotCancelled = (): void => {
  if (currentWork()?.signal.aborted) throw new CancelledError();
};

/** Rejects as soon as no caller waits for the result any more. */
export const untilCancelled = <Result>(result: Promise<Result>): Promise<Result> => {
  const signal = currentWork()?.signal;
  if (!signal) return result;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new CancelledError());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
};

/**
 * Runs a read whose result callers of several clients share. It uses the share of connections and memory of none of
 * them: a client that has used up its own must not fail or delay the others.
 */
export const runForAll = <Result>(
  run: () => Result,
  signal: AbortSignal | undefined = currentWork()?.signal,
): Result =>
  runAs(createWork(signal, { mayReadReplica: currentWork()?.mayReadReplica ?? false }), run);

/** A separate unit of work for the same caller, with its own usage and end. */
export const createSharedWork = (work: Work | undefined, signal: AbortSignal): Work =>
  createWork(signal, work && { ...work });

/** Whose share of memory it uses. NO_OWNER if no valid credentials were sent for it. */
export const memoryOwnerOf = ({ owner, recognized = NO_OWNER }: Work): string =>
  owner === NO_OWNER ? recognized : owner;

const addTo = (reserved: Map<string, number>, owner: string, bytes: number): void => {
  reserved.set(owner, (reserved.get(owner) ?? 0) + bytes);
};

const reserve = (work: Work, owner: string, characters: number): void => {
  const { budget, usage } = work;
  usage.size += characters;
  if (!budget || !usage.reserved) return;
  if (usage.size > budget.maxPerWork) throw new ResultTooLargeError(budget.maxPerWork);
  if (!budget.take(owner, characters, usage.size)) throw new ResponseBudgetError();
  addTo(usage.reserved, owner, characters);
};

/** Counts the characters of a result before they are parsed. Throws if they exceed a limit. */
export const countSize = (characters: number): void => {
  const work = currentWork();
  if (work) reserve(work, memoryOwnerOf(work), characters);
};

/** The same for the body of a request. */
export const countBody = (characters: number): void => {
  const work = currentWork();
  if (!work) return;
  const owner = memoryOwnerOf(work);
  reserve(work, owner === NO_OWNER ? UNKNOWN_BODIES : owner, characters);
};

/** Reserves memory for a response that may be larger than the rows read for it. Throws if there is none. */
export const reserveResponse = (bytes: number): void => {
  const work = currentWork();
  const { budget, usage } = work ?? {};
  if (!work || !budget || !usage?.reserved) return;
  if (bytes > budget.maxPerWork) throw new ResultTooLargeError(budget.maxPerWork);
  // A caller has three owners at most: none, its credentials, then its identity.
  const reserved = [...usage.reserved.values()].reduce((sum, part) => sum + part, 0);
  if (bytes <= reserved) return;
  const owner = memoryOwnerOf(work);
  if (!budget.take(owner, bytes - reserved, bytes)) throw new ResponseBudgetError();
  addTo(usage.reserved, owner, bytes - reserved);
};

/** Releases the reserved bytes: the results are written or dropped. */
export const endWork = ({ budget, usage }: Work): void => {
  for (const [owner, bytes] of usage.reserved ?? []) budget?.release(owner, bytes);
  usage.reserved = null;
};

export const countRows = (rows: number): void => {
  const work = currentWork();
  if (work) work.usage.rows += rows;
};

/** Counts rows that arrived packed in one row, instead of that row. */
export const countJsonRows = (rows: number): void => countRows(rows - 1);
