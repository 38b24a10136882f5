import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Sink } from '../world/integrations.js';

/** Longer than any run: the original does not try again when it meets a connection that is just being closed. */
const KEEP_ALIVE_MS = 3_600_000;

/** Receives what integrations deliver, and says yes to everything. */
export const startListener = async (): Promise<Sink> => {
  const received: { path: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', body });
      response.writeHead(200, { 'content-type': 'text/plain' }).end('taken');
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
