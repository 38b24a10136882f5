type Probe = { status: number; headers: Record<string, string>; body: string };

const PING_LIMIT_MS = 1_000;

const probe = (status: number, state: string): Probe => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify({ status: state }),
});

/** `/livez` says that the process runs; `/readyz` that it can serve: the database answers and it is not stopping. */
export const createProbes = (database: { ping: (timeoutMs: number) => Promise<void> }) => {
  let isDraining = false;
  const ready = async (): Promise<Probe> => {
    if (isDraining) return probe(503, 'draining');
    return database.ping(PING_LIMIT_MS).then(
      () => probe(200, 'ready'),
      () => probe(503, 'database does not answer'),
    );
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
