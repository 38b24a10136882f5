import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections: one of those may be taken between the check and its use.
const FIRST = 20_000;
const COUNT = 12_000;
const ATTEMPTS = 100;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port of 127.0.0.1 on which nothing listens. */
export const freePort = async (): Promise<number> => {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port after ${ATTEMPTS} attempts.`);
};
