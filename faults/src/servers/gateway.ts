import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '../../../parity/src/child-process.js';
import { freePort } from '../../../test/testkit/free-port.js';
import type { Scope } from '../scope.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;
const HEAP_MB = 512;

export type GatewayProcess = {
  url: string;
  port: number;
  pid: number;
  log(): string;
  isAlive(): boolean;
  /** Resident memory of the process in MB. */
  residentMb(): number;
  /** Sends SIGTERM; returns the seconds until exit, or undefined if the limit elapsed and it was killed. */
  terminate(limitMs: number): Promise<number | undefined>;
  kill(): Promise<void>;
};

export type GatewayOptions = {
  env?: Record<string, string>;
  port?: number;
};

/** Disables limits per client, for experiments that send more than a client should. */
export const UNLIMITED = {
  RATE_LIMIT_POINTS: '0',
  AUTH_FAILURES_PER_MINUTE: '0',
  MAX_CONCURRENT_OPERATIONS: '100',
};

const isReady = async (url: string): Promise<true | undefined> => {
  const response = await fetch(`${url}/readyz`);
  await response.arrayBuffer();
  return response.ok ? true : undefined;
};

/** Starts the compiled gateway with a small heap and waits until it is ready. */
export const startGateway = async (
  scope: Scope,
  databaseUrl: string | undefined,
  { env = {}, port }: GatewayOptions = {},
): Promise<GatewayProcess> => {
  const listening = port ?? (await freePort());
  const url = `http://127.0.0.1:${listening}`;
  const server = startProcess(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, PROGRAM, 'serve'],
    {
      cwd: ROOT,
      env: {
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
        PORT: String(listening),
        LOG_LEVEL: 'error',
        NODE_ENV: 'production',
        UNLEASH_FEATURE_FLAGS_LIMIT: '1000000',
        ...env,
      },
    },
  );
  scope.onClose(() => (server.hasEnded() ? undefined : server.kill()));
  await waitFor(server, 'The gateway', START_LIMIT_MS, () => isReady(url));
  return {
    url,
    port: listening,
    pid: server.pid,
    log: server.log,
    isAlive: () => !server.hasEnded(),
    residentMb: () => residentMbOf(server.pid),
    terminate: async (limitMs) => {
      const startedAt = performance.now();
      process.kill(server.pid, 'SIGTERM');
      const timer = setTimeout(() => server.kill(), limitMs);
      await server.ended;
      clearTimeout(timer);
      const seconds = (performance.now() - startedAt) / 1000;
      return seconds * 1000 >= limitMs ? undefined : seconds;
    },
    kill: server.kill,
  };
};

const residentMbOf = (pid: number): number => {
  try {
    const [, kilobytes] =
      /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** A value of `/metrics`, summed over the series whose labels contain the given text. */
export const readMetric = async (url: string, name: string, labels = ''): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)))
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};
