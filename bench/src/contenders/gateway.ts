import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '../../../parity/src/child-process.js';
import { provideNode } from '../../../parity/src/install.js';
import { ADMIN_UI_URL } from '../../../parity/src/upstream.js';
import { freePort } from '../../../test/testkit/free-port.js';
import { type Contender, NEWEST_NODES, POOL_SIZE } from './contender.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;

/** The recommended indexes that a database has. */
export type Indexes = 'none' | 'plain' | 'text';

/** Creates the recommended indexes with the doctor, as an operator would. */
export const applyIndexes = async (
  databaseUrl: string,
  indexes: Indexes,
  onProgress: (message: string) => void,
): Promise<void> => {
  if (indexes === 'none') return;
  onProgress(indexes === 'text' ? 'Creating our indexes, with free text' : 'Creating our indexes');
  const args = ['doctor', '--apply-indexes', ...(indexes === 'text' ? ['--with-text-index'] : [])];
  const doctor = startProcess(process.execPath, [PROGRAM, ...args], {
    cwd: dirname(PROGRAM),
    env: { DATABASE_URL: databaseUrl },
  });
  const status = await doctor.ended;
  if (status !== 0 && status !== 2) throw new Error(`Could not create indexes:\n${doctor.log()}`);
};

const isReady = async (url: string): Promise<true | undefined> => {
  const response = await fetch(`${url}/readyz`);
  await response.arrayBuffer();
  return response.ok ? true : undefined;
};

export const startGateway = async (
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Contender> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProcess(await provideNode(NEWEST_NODES), [PROGRAM, 'serve'], {
    cwd: dirname(PROGRAM),
    env: {
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      PORT: String(port),
      ADMIN_UI_URL,
      LOG_LEVEL: 'silent',
      // All load comes from one token, so rate limits are off.
      RATE_LIMIT_POINTS: '0',
      MAX_CONCURRENT_OPERATIONS: '10000',
      NODE_ENV: 'production',
      UNLEASH_FEATURE_FLAGS_LIMIT: '1000000',
      ...settings,
    },
  });
  await waitFor(server, 'The gateway', START_LIMIT_MS, () => isReady(url));
  return { url, pid: server.pid, log: server.log, stop: server.stop };
};
