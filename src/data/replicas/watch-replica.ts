import type { Connection } from '../connection.js';
import { runDetached } from '../work/work.js';
import type { Replica } from './replica.js';
import { faultOf, type ReplicaFault } from './replica-fault.js';
import {
  type PrimaryStatus,
  type ReplicaStatus,
  readPrimaryStatus,
  readReplicaStatus,
} from './replica-status.sql.js';

export type ReplicaState =
  | 'in-use'
  /** It has not replayed what the primary wrote a second ago. */
  | 'lagging'
  | 'unreachable'
  | ReplicaFault;

export type WatchedReplica = {
  /** Display location of the database, without user and password. */
  readonly place: string;
  state(): ReplicaState;
  /** How old its data can be, in milliseconds. Until that is known, how long it was watched. */
  lagMs(): number;
  /** Null unless it can be used. */
  replica(): Replica | null;
  connection(): Connection | null;
  /** Resolves when everything committed before `since` is visible, or it is out of use. */
  reach(since: number): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  place: string;
  open: () => Promise<Connection>;
  primary: Pick<Connection, 'probe'>;
  onChange?: ((place: string, state: ReplicaState) => void) | undefined;
};

const CHECK_EVERY_MS = 250;
/** While callers wait for it. */
const CHECK_SOON_MS = 5;
/** Between attempts to connect. */
const RETRY_MS = 1_000;
/** A replica whose data can be older is not used. */
const MAX_LAG_MS = 1_000;
/** Positions of the primary that a replica may still replay. */
const MAX_SAMPLES = 16;

/** Checks a replica repeatedly: whether it follows the primary, and up to which time it shows everything. */
export const watchReplica = ({ place, open, primary, onChange }: Options): WatchedReplica => {
  let connection: Connection | null = null;
  let replica: Replica | null = null;
  let freshAt = Number.NEGATIVE_INFINITY;
  let lastFreshAt = performance.now();
  let fault: ReplicaFault | 'unreachable' | null = 'unreachable';
  let reported: ReplicaState | null = null;
  let samples: { at: number; written: number }[] = [];
  let waiting = 0;
  let wake = () => {};
  let isClosed = false;

  const isFresh = () => performance.now() - freshAt <= MAX_LAG_MS;
  const state = (): ReplicaState => fault ?? (isFresh() ? 'in-use' : 'lagging');
  const report = () => {
    if (isClosed || state() === reported) return;
    reported = state();
    onChange?.(place, reported);
  };
  const takeOut = (reason: NonNullable<typeof fault>) => {
    fault = reason;
    freshAt = Number.NEGATIVE_INFINITY;
    samples = [];
  };

  const connect = async (): Promise<Connection> => {
    if (connection) return connection;
    const opened = await open();
    if (isClosed) {
      await opened.close();
      throw new Error('closed');
    }
    const queryable = await opened.adapter.connect();
    connection = opened;
    replica = {
      queryable,
      freshAt: () => freshAt,
      running: 0,
      suspect: () => {
        takeOut('unreachable');
        report();
        wake();
      },
    };
    return opened;
  };

  const updateFreshness = (at: number, status: PrimaryStatus, found: ReplicaStatus) => {
    const problem = faultOf(status, found);
    if (problem) return takeOut(problem);
    fault = null;
    samples = [...samples, { at, written: status.written }].slice(-MAX_SAMPLES);
    const latest = samples.findLast(({ written }) => written <= (found.replayed ?? 0));
    if (!latest) return;
    freshAt = latest.at;
    lastFreshAt = freshAt;
    samples = samples.filter((sample) => sample.at > latest.at);
  };

  const check = async (): Promise<void> => {
    try {
      const { probe } = await connect();
      const at = performance.now();
      // Without the primary, replica lag is unknown: replicas count as increasingly stale.
      const written = await primary.probe?.(readPrimaryStatus).catch(() => null);
      const found = await probe?.(readReplicaStatus);
      if (written && found) updateFreshness(at, written, found);
    } catch {
      takeOut('unreachable');
      // Reads in flight would wait for their deadline. The primary serves them now.
      connection?.dropAll?.('the replica does not respond');
    }
    report();
  };

  const pause = () =>
    new Promise<void>((resolve) => {
      const pauseMs = waiting > 0 ? CHECK_SOON_MS : CHECK_EVERY_MS;
      const timer = setTimeout(resolve, connection ? pauseMs : RETRY_MS);
      timer.unref();
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const watch = async () => {
    while (!isClosed) {
      await check();
      if (!isClosed) await pause();
    }
  };
  void runDetached(watch);

  return {
    place,
    state,
    lagMs: () => performance.now() - lastFreshAt,
    replica: () => (fault === null && isFresh() ? replica : null),
    connection: () => connection,
    reach: async (since) => {
      waiting += 1;
      wake();
      while (!isClosed && fault === null && isFresh() && freshAt < since) {
        await new Promise((resolve) => setTimeout(resolve, CHECK_SOON_MS));
      }
      waiting -= 1;
    },
    close: async () => {
      isClosed = true;
      wake();
      await connection?.close();
    },
  };
};
