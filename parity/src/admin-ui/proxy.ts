import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { ADMIN_TOKEN } from '../original.js';
import type { Operation } from '../request.js';

/** One of the four paths, as the browser asked for it and was answered. */
export type Exchange = {
  operation: Operation;
  by: 'gateway' | 'original';
  method: string;
  path: string;
  query: URLSearchParams;
  status: number;
  json: unknown;
};

export type TestProxy = { url: string; exchanges: readonly Exchange[]; close(): Promise<void> };

const PATHS: readonly [Operation, method: string, path: RegExp][] = [
  ['search events', 'GET', /^\/api\/admin\/search\/events$/],
  ['health report', 'GET', /^\/api\/admin\/projects\/[^/]+\/health-report$/],
  ['integration events', 'GET', /^\/api\/admin\/addons\/[^/]+\/events$/],
  ['clone', 'POST', /^\/api\/admin\/projects\/[^/]+\/features\/[^/]+\/clone$/],
];

const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

const readJson = (bytes: Buffer, encoding: string | undefined): unknown => {
  const decompress = encoding === undefined ? undefined : DECOMPRESS[encoding];
  return bytes.length === 0
    ? undefined
    : JSON.parse((decompress ? decompress(bytes) : bytes).toString('utf8'));
};

const asAdmin = ({ cookie: _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => ({
  ...headers,
  authorization: ADMIN_TOKEN,
});

/**
 * Stands where the original stood. The four paths go to the gateway, as an admin, when there is one; everything else
 * goes to the original.
 */
export const startProxy = async ({
  original,
  gateway,
}: {
  original: string;
  gateway?: string;
}): Promise<TestProxy> => {
  const exchanges: Exchange[] = [];
  const lastJson = new Map<string, unknown>();

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url: target = '', headers } = request;
    const { pathname: path, searchParams: query } = new URL(target, original);
    const [operation] = PATHS.find(([, verb, place]) => verb === method && place.test(path)) ?? [];
    const by = operation && gateway ? 'gateway' : 'original';
    const { hostname, port, host } = new URL((by === 'gateway' && gateway) || original);
    const sent = httpRequest({
      hostname,
      port,
      method,
      path: target,
      headers: { ...(by === 'gateway' ? asAdmin(headers) : headers), host },
    });

    const note = (status: number, json: unknown) => {
      if (!operation) return;
      // An answer of 304 stands for the one before.
      if (status !== 304) lastJson.set(target, json);
      const known = lastJson.get(target);
      exchanges.push({ operation, by, method, path, query, status, json: known });
    };
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const { statusCode: status = 0, headers: received } = answer;
        // Noted before the browser sees the end, so that what is on the page is always known here.
        if (operation) note(status, readJson(Buffer.concat(chunks), received['content-encoding']));
        response.writeHead(status, received).end(Buffer.concat(chunks));
      });
      answer.on('error', () => response.destroy());
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  };

  const server = createServer(forward).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    exchanges,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
