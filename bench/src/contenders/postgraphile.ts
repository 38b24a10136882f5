import { fileURLToPath } from 'node:url';
import { startProcess, waitFor } from '../../../parity/src/child-process.js';
import { provideNode } from '../../../parity/src/install.js';
import { freePort } from '../../../test/testkit/free-port.js';
import { type Contender, NEWEST_NODES, POOL_SIZE } from './contender.js';

const PROGRAM = fileURLToPath(new URL('postgraphile-server.mjs', import.meta.url));
const FOLDER = fileURLToPath(new URL('../..', import.meta.url));
const START_LIMIT_MS = 120_000;

const isUp = async (url: string): Promise<true | undefined> => {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  await response.arrayBuffer();
  return response.ok ? true : undefined;
};

export const startPostgraphile = async (
  databaseUrl: string,
  onProgress: (message: string) => void,
): Promise<Contender> => {
  const node = await provideNode(NEWEST_NODES, onProgress);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProcess(node, [PROGRAM], {
    cwd: FOLDER,
    env: {
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      POOL_SIZE: String(POOL_SIZE),
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
    },
  });
  await waitFor(server, 'PostGraphile', START_LIMIT_MS, () => isUp(url));
  return { url, pid: server.pid, log: server.log, stop: server.stop };
};
