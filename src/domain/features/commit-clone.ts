import { mayHaveCommitted } from '../../data/database-failure.js';
import type { Db, Feature, PrismaClient, Sql } from '../../data/db.js';
import { takeAdvisoryLocks } from '../../data/features/advisory-locks.sql.js';
import {
  assertNotCancelled,
  CancelledError,
  currentWork,
  runUncancelled,
} from '../../data/work/work.js';
import type { Actor } from '../actor.js';
import type { CloneQueue } from './clone-queue.js';
import { type ReadyClone, writeClones } from './write-clone.js';

const TRANSACTION = { maxWait: 5_000, timeout: 15_000 };

type CommitOptions = {
  /** Must hold when the statement begins. */
  conditions: readonly Sql[];
  /** Names of the locks that this clone needs; usually empty. */
  locks: readonly string[];
  queue: CloneQueue;
};

type Write = (db: Db) => Promise<Feature[] | null>;

/** `onCommit` is called when everything is written and only the commit remains; if it throws, nothing is kept. */
const inTurn = async (
  db: PrismaClient,
  locks: readonly string[],
  write: Write,
  onCommit: () => void,
): Promise<Feature[] | null> =>
  db.$transaction(async (tx) => {
    await takeAdvisoryLocks(tx, locks);
    const copies = await write(tx);
    onCommit();
    return copies;
  }, TRANSACTION);

/** Marks the outcome of the write as unknown in the current work, from the commit until it is known. */
const trackOutcome = async (
  clones: readonly ReadyClone[],
  write: (onCommit: () => void) => Promise<Feature[] | null>,
): Promise<Feature[] | null> => {
  const { writes, signal } = currentWork() ?? {};
  const unknown = writes?.unknown;
  let isCommitting = false;
  const onCommit = () => {
    // The response has already reported that nothing was created.
    if (signal?.aborted) throw new CancelledError();
    isCommitting = true;
    for (const { draft, fingerprintId } of clones) unknown?.set(draft.name, fingerprintId !== null);
  };
  const onKnown = () => {
    for (const { draft } of clones) unknown?.delete(draft.name);
  };
  try {
    const copies = await write(onCommit);
    onKnown();
    return copies;
  } catch (error) {
    if (!isCommitting || !mayHaveCommitted(error)) onKnown();
    throw error;
  }
};

/**
 * Writes all clones; returns null and writes nothing if a condition no longer holds. A statement that has started is
 * not cancelled, even if the caller stops waiting. Only if it runs in a transaction, that is rolled back then.
 */
export const commitClones = async (
  db: PrismaClient,
  actor: Actor,
  clones: readonly ReadyClone[],
  { locks, queue, conditions }: CommitOptions,
): Promise<Feature[] | null> => {
  const write: Write = (on) => writeClones(on, actor, clones, conditions);
  const commit = (): Promise<Feature[] | null> => {
    assertNotCancelled();
    return trackOutcome(clones, (onCommit) =>
      runUncancelled(() => {
        if (locks.length > 0) return inTurn(db, locks, write, onCommit);
        onCommit();
        return write(db);
      }),
    );
  };
  return locks.length > 0 ? queue(locks, commit) : commit();
};
