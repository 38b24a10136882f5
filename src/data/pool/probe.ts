import type pg from 'pg';
import { pgSession, type SqlSession } from '../sql-session.js';
import { runDetached } from '../work/work.js';
import { type Guard, GuardedClient } from './guarded-client.js';

export type Probe = {
  run<Result>(run: (session: SqlSession) => Promise<Result>): Promise<Result>;
  /** Closes the connection. The next probe opens another. */
  reset(): void;
  close(): Promise<void>;
};

type Options = {
  config: pg.ClientConfig;
  guard: Guard;
  prepare: (client: GuardedClient) => Promise<void>;
};

const DEADLINE_MS = 2_000;
// Reconnecting also detects that the address now leads to another server.
const MAX_LIFETIME_MS = 30_000;

/** A connection reserved for probes, so that a busy pool does not look like an unresponsive database. */
export const createProbe = ({ config, guard, prepare }: Options): Probe => {
  let current: GuardedClient | null = null;
  let expiry: NodeJS.Timeout | undefined;

  const forget = (client: GuardedClient) => {
    if (current !== client) return;
    clearTimeout(expiry);
    current = null;
  };
  const open = async (): Promise<GuardedClient> => {
    const client = new GuardedClient({
      ...config,
      connectionTimeoutMillis: DEADLINE_MS,
      guard: { ...guard, deadlineMs: DEADLINE_MS },
    });
    try {
      await client.connect();
      await prepare(client);
    } catch (error) {
      client.drop();
      throw error;
    }
    client.once('end', () => forget(client));
    current = client;
    expiry = setTimeout(() => {
      forget(client);
      void (client.settled ?? Promise.resolve()).then(() => client.end());
    }, MAX_LIFETIME_MS);
    expiry.unref();
    return client;
  };

  return {
    run: (run) =>
      runDetached(async () => {
        const client = current && !current.isDropped ? current : await open();
        return run(pgSession(client));
      }),
    reset: () => current?.drop(),
    close: async () => {
      const client = current;
      if (!client) return;
      forget(client);
      await client.end();
    },
  };
};
