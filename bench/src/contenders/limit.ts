import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '../../../parity/src/child-process.js';
import { provideNode } from '../../../parity/src/install.js';
import { ADMIN_UI_URL } from '../../../parity/src/upstream.js';
import { freePort } from '../../../test/testkit/free-port.js';
import { type Contender, NEWEST_NODES, POOL_SIZE } from './contender.js';

const PROGRAM = fileURLToPath(new URL('limit.mjs', import.meta.url));
const FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const START_LIMIT_MS = 30_000;

const isUp = async (url: string): Promise<true | undefined> => {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok ? true : undefined;
};

export const startLimit = async (databaseUrl: string): Promise<Contender> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProcess(await provideNode(NEWEST_NODES), ['--import', 'tsx', PROGRAM], {
    cwd: FOLDER,
    env: {
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      POOL_SIZE: String(POOL_SIZE),
      ADMIN_UI_URL,
      NODE_ENV: 'production',
    },
  });
  await waitFor(server, 'The limit', START_LIMIT_MS, () => isUp(url));
  return { url, pid: server.pid, log: server.log, stop: server.stop };
};
