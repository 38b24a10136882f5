import { once } from 'node:events';
import { createServer } from 'node:net';

/** Fails if another process listens on the address, before a new embedded database is filled for seconds. */
export const assertAddressFree = async (host: string, port: number): Promise<void> => {
  const server = createServer().listen({ host, port });
  await once(server, 'listening');
  await new Promise((resolve) => server.close(resolve));
};
