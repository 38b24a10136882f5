import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '../../../parity/src/child-process.js';
import { provideNode } from '../../../parity/src/install.js';
import { ADMIN_UI_URL } from '../../../parity/src/original.js';
import { freePort } from '../../../test/testkit/postgres.js';
import { type Contender, NEWEST_NODES, POOL_SIZE } from './contender.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const START_LIMIT_MS = 60_000;

/** Which of our indexes a database has. */
export type Indexes = 'none' | 'plain' | 'text';

/** Makes our indexes as an operator would. */
export const applyIndexes = async (
  databaseUrl: string,
  indexes: Indexes,
  tell: (message: string) => void,
): Promise<void> => {
  if (indexes === 'none') return;
  tell(indexes === 'text' ? 'Making our indexes, that of free text too' : 'Making our indexes');
  const args = ['doctor', '--apply-indexes', ...(indexes === 'text' ? ['--with-text-index'] : [])];
  const doctor = startProcess(process.execPath, [PROGRAM, ...args], {
    cwd: dirname(PROGRAM),
    env: { DATABASE_URL: databaseUrl },
  });
  const status = await doctor.ended;
  if (status !== 0 && status !== 2) throw new Error(`The indexes were not made:\n${doctor.log()}`);
};

const isReady = async (url: string): Promise<true | undefined> => {
  const answer = await fetch(`${url}/readyz`);
  await answer.arrayBuffer();
  return answer.ok ? true : undefined;
};

export const startGateway = async (databaseUrl: string): Promise<Contender> => {
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
      NODE_ENV: 'production',
      UNLEASH_FEATURE_FLAGS_LIMIT: '1000000',
    },
  });
  await waitFor(server, 'The gateway', START_LIMIT_MS, () => isReady(url));
  return { url, pid: server.pid, log: server.log, stop: server.stop };
};
