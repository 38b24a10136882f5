import { mayHaveCommitted } from '../../data/database-failure.js';
import type { Feature, PrismaClient } from '../../data/db.js';
import { lockPlaces } from '../../data/features/lock-places.sql.js';
import { assertNotCancelled, currentWork, runUncancelled } from '../../data/work/work.js';
import type { Actor } from '../actor.js';
import type { CloneDraft } from './clone-draft.js';
import type { CloneQueue } from './clone-queue.js';
import { type WriteOptions, writeClone } from './write-clone.js';

const TRANSACTION = { maxWait: 5_000, timeout: 15_000 };

type CommitOptions = WriteOptions & {
  /** Where clones must wait for each other; usually empty. */
  places: readonly string[];
  queue: CloneQueue;
};

/** `onCommit` is called when everything is written and only the commit remains. */
const inTurn = async (
  db: PrismaClient,
  places: readonly string[],
  write: (tx: Parameters<typeof writeClone>[0]) => Promise<Feature | null>,
  onCommit: () => void,
): Promise<Feature | null> =>
  db.$transaction(async (tx) => {
    await lockPlaces(tx, places);
    const copy = await write(tx);
    onCommit();
    return copy;
  }, TRANSACTION);

/** Marks the outcome of the write as unknown in the current work, from the commit until it is known. */
const trackOutcome = async (
  name: string,
  hasKey: boolean,
  write: (onCommit: () => void) => Promise<Feature | null>,
): Promise<Feature | null> => {
  const writes = currentWork()?.writes;
  let isCommitting = false;
  const onCommit = () => {
    isCommitting = true;
    writes?.unknown.set(name, hasKey);
  };
  try {
    const copy = await write(onCommit);
    writes?.unknown.delete(name);
    return copy;
  } catch (error) {
    if (!isCommitting || !mayHaveCommitted(error)) writes?.unknown.delete(name);
    throw error;
  }
};

/**
 * Writes a clone; returns null and writes nothing if its condition no longer holds. Once started, it is not
 * cancelled, even if the caller stops waiting.
 */
export const commitClone = async (
  db: PrismaClient,
  actor: Actor,
  draft: CloneDraft,
  { places, queue, ...options }: CommitOptions,
): Promise<Feature | null> => {
  const commit = (): Promise<Feature | null> => {
    assertNotCancelled();
    return trackOutcome(draft.name, options.fingerprintId !== null, (onCommit) =>
      runUncancelled(() => {
        if (places.length > 0) {
          return inTurn(db, places, (tx) => writeClone(tx, actor, draft, options), onCommit);
        }
        onCommit();
        return writeClone(db, actor, draft, options);
      }),
    );
  };
  return places.length > 0 ? queue(places, commit) : commit();
};
