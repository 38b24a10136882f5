import type { Logger } from './logger.js';

type Probe = { status: number; headers: Record<string, string>; body: string };

const PING_LIMIT_MS = 1_000;

const probe = (status: number, state: string): Probe => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify({ status: state }),
});

/** Unleash migrates the tables and may remove what startup has checked. */
export const isLayoutFault = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'LayoutError';

/**
 * `/livez` reports that the process runs, `/readyz` that it can serve: the database responds and no shutdown is in
 * progress.
 */
export const createProbes = (
  database: { ping: (timeoutMs: number) => Promise<void> },
  logger: Pick<Logger, 'error'>,
) => {
  let isDraining = false;
  let reportedFault = '';
  const unready = (error: unknown): Probe => {
    if (!isLayoutFault(error)) return probe(503, 'database does not respond');
    if (error.message !== reportedFault) logger.error(error.message);
    reportedFault = error.message;
    return probe(503, 'database lacks tables or columns');
  };
  const ready = async (): Promise<Probe> => {
    if (isDraining) return probe(503, 'draining');
    return database.ping(PING_LIMIT_MS).then(() => {
      reportedFault = '';
      return probe(200, 'ready');
    }, unready);
  };
  const routes = new Map<string, () => Promise<Probe>>([
    ['/livez', async () => probe(200, 'alive')],
    ['/readyz', ready],
  ]);
  return {
    find: (path: string) => routes.get(path),
    drain: () => {
      isDraining = true;
    },
  };
};
