import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../connection.js';
import { LayoutError } from '../layout/layout-error.js';
import { qualifiedName } from '../sql/sql-names.js';
import type { SqlSession } from '../sql-session.js';
import { type BuildProgress, readProgress } from './build-progress.js';
import type { FoundIndex } from './index-state.js';
import type { TextIndex } from './text-index.js';

export type BuildOutcome = {
  name: string;
  result: 'built' | 'refused' | 'failed' | 'interrupted';
  /** Why it was not built. */
  reason?: string;
};

export type BuildOptions = {
  onStart: (index: FoundIndex) => void;
  onProgress: (index: FoundIndex, progress: BuildProgress) => void;
  onEnd: (outcome: BuildOutcome) => void;
  /** Cancels the build in progress and starts no other. */
  signal: AbortSignal;
};

const POLL_MS = 500;
// A leftover that can't be dropped in this time stays; the next build drops it.
const REMOVE_LIMIT_MS = 3_000;
// Two concurrent builders would mistake each other's unfinished index for a leftover.
const ADVISORY_LOCK = 1_718_384_231;

/** Builds the indexes one by one without blocking other work on the tables. Changes nothing else. */
export const buildIndexes = (
  connection: Connection,
  indexes: readonly FoundIndex[],
  options: BuildOptions,
): Promise<BuildOutcome[]> => {
  if (connection.isPooled) {
    throw new LayoutError(
      'Indexes cannot be built through a connection pooler: set DATABASE_URL to connect directly to PostgreSQL.',
    );
  }
  return connection.withSession(async (session) => {
    await session.exec('SET lock_timeout = 0');
    const [lock] = (
      await session.query<{ isTaken: boolean }>('SELECT pg_try_advisory_lock($1) AS "isTaken"', [
        ADVISORY_LOCK,
      ])
    ).rows;
    const obstacle = lock?.isTaken ? undefined : 'another doctor process is creating indexes';

    const outcomes: BuildOutcome[] = [];
    for (const index of indexes) {
      const reason = obstacle ?? refusalOf(index);
      const outcome: BuildOutcome = options.signal.aborted
        ? { name: index.name, result: 'interrupted' }
        : reason
          ? { name: index.name, result: 'refused', reason }
          : await build(connection, session, index, options);
      outcomes.push(outcome);
      options.onEnd(outcome);
    }
    return outcomes;
  });
};

const refusalOf = (index: FoundIndex & Partial<TextIndex>): string | undefined => {
  const { name, table, state, owner, mayCreate, extension } = index;
  if (state === 'conflict') return `another relation is named ${name}; rename or drop it first`;
  if (!mayCreate)
    return `only the owner of the table ${table}, '${owner}', can create indexes on it`;
  if (extension && !extension.isInstalled) {
    return `the extension ${extension.name} is not installed; an administrator can: CREATE EXTENSION ${extension.name};`;
  }
  return undefined;
};

const build = async (
  connection: Connection,
  session: SqlSession,
  index: FoundIndex,
  { signal, onStart, onProgress }: BuildOptions,
): Promise<BuildOutcome> => {
  const { name } = index;
  onStart(index);
  try {
    if (index.state === 'invalid') await session.exec(removal(connection, name));
    await watched(connection, session, index.statement, {
      signal,
      onProgress: (progress) => onProgress(index, progress),
    });
    return { name, result: 'built' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isRemoved = await removeLeftover(connection, session, name);
    const leftover = isRemoved
      ? ''
      : `; its unfinished index is still there, and the next --apply-indexes replaces it`;
    const result = signal.aborted ? 'interrupted' : 'failed';
    return { name, result, reason: `${reason}${leftover}` };
  }
};

const removal = ({ schema }: Connection, name: string): string =>
  `DROP INDEX CONCURRENTLY IF EXISTS ${qualifiedName(schema, name)}`;

const UNFINISHED = `
  SELECT FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  WHERE i.relnamespace = quote_ident(current_schema())::regnamespace AND i.relname = $1
    AND NOT x.indisvalid`;

const removeLeftover = async (
  connection: Connection,
  session: SqlSession,
  name: string,
): Promise<boolean> => {
  try {
    const { rows } = await session.query(UNFINISHED, [name]);
    if (rows.length === 0) return true;
    await session.exec(`SET statement_timeout = ${REMOVE_LIMIT_MS}`);
    await session.exec(removal(connection, name));
    await session.exec('SET statement_timeout = 0');
    return true;
  } catch {
    return false;
  }
};

/** Runs a statement in one session and watches it from another, which can also cancel it. */
const watched = async (
  connection: Connection,
  session: SqlSession,
  statement: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: BuildProgress) => void },
): Promise<void> => {
  // The embedded database has one session only, so nothing can block the build.
  if (connection.kind === 'embedded') return session.exec(statement);

  const [backend] = (await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
  const pid = backend?.pid ?? 0;
  const done = new AbortController();
  const work = session.exec(statement).finally(() => done.abort());
  const watch = connection.withSession(async (watcher) => {
    while (!done.signal.aborted) {
      if (signal.aborted) await watcher.query('SELECT pg_cancel_backend($1)', [pid]);
      const progress = await readProgress(watcher, pid);
      if (progress) onProgress(progress);
      const wakers = signal.aborted ? [done.signal] : [done.signal, signal];
      await delay(POLL_MS, undefined, { signal: AbortSignal.any(wakers) }).catch(() => undefined);
    }
  });
  // A failed watcher must neither end the build nor cause an unhandled rejection.
  const watching = watch.catch(() => undefined);
  await work.finally(() => watching);
};
