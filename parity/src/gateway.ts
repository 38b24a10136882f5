import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from './child-process.js';
import { ADMIN_UI_URL } from './upstream.js';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
const START_LIMIT_MS = 60_000;

export type Gateway = { url: string; log(): string; stop(): Promise<void> };

export type GatewayOptions = {
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** Its compiled program. Default: that of this repository. */
  program?: string;
};

/** Starts the built gateway on a database and waits until it listens. */
export const startGateway = async (
  databaseUrl: string,
  { env = {}, program = PROGRAM }: GatewayOptions = {},
): Promise<Gateway> => {
  const server = startProcess(process.execPath, [program, 'serve'], {
    cwd: dirname(program),
    env: {
      DATABASE_URL: databaseUrl,
      PORT: '0',
      ADMIN_UI_URL,
      LOG_LEVEL: 'warn',
      // All requests come from one address and a few tokens, so rate limits are off.
      RATE_LIMIT_POINTS: '0',
      AUTH_FAILURES_PER_MINUTE: '0',
      ...env,
    },
  });
  const url = await waitFor(
    server,
    'The gateway',
    START_LIMIT_MS,
    async () => ADDRESS.exec(server.log())?.[0],
  );
  return { url, log: server.log, stop: server.stop };
};
