import type pg from 'pg';
import { LayoutError } from '../layout/layout-error.js';
import { pgSession, type SqlSession } from '../sql-session.js';
import { runDetached } from '../work/work.js';
import { type Guard, GuardedClient } from './guarded-client.js';

export type LeasedSession = { session: SqlSession; client: GuardedClient };

type Options = {
  place: string;
  config: pg.ClientConfig;
  guard: Guard;
};

/** Runs `work` on a connection outside of the pool and outside of any request. */
export const withClient = <Result>(
  { place, config, guard }: Options,
  work: (session: LeasedSession) => Promise<Result>,
): Promise<Result> =>
  runDetached(async () => {
    const client = new GuardedClient({ ...config, guard });
    try {
      await client.connect();
    } catch (error) {
      throw new LayoutError(`The database at ${place} cannot be reached: ${reason(error)}.`, {
        cause: error,
      });
    }
    try {
      return await work({ session: pgSession(client), client });
    } finally {
      await client.end();
    }
  });

const reason = (error: unknown): string => {
  // A host name with several addresses fails with one error per address and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
};
