import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Operation } from '../request.js';
import { routeOf } from './routes.js';

/** A request for one of the four paths and its response. */
export type Exchange = {
  operation: Operation;
  by: 'gateway' | 'unleash';
  method: string;
  /** Relative to the base path. */
  path: string;
  query: URLSearchParams;
  status: number;
  json: unknown;
};

export type RoutingProxy = { url: string; exchanges: readonly Exchange[]; close(): Promise<void> };

export type RoutingProxyOptions = {
  /** URLs without a base path. */
  unleash: string;
  /** Default: Unleash serves every path. */
  gateway?: string;
  basePath?: string;
  /** Every path below this one goes to the gateway, too. */
  gatewayPath?: string;
};

const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

const readJson = (bytes: Buffer, encoding: string | undefined): unknown => {
  const decompress = encoding === undefined ? undefined : DECOMPRESS[encoding];
  try {
    return JSON.parse((decompress ? decompress(bytes) : bytes).toString('utf8'));
  } catch {
    return undefined;
  }
};

/**
 * A reverse proxy that only routes. Forwards headers (including `Host` and `Cookie`) and bodies unchanged in both
 * directions, and records the responses to the four paths.
 */
export const startRoutingProxy = async ({
  unleash,
  gateway,
  basePath = '',
  gatewayPath,
}: RoutingProxyOptions): Promise<RoutingProxy> => {
  const exchanges: Exchange[] = [];
  const lastJson = new Map<string, unknown>();

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url: target = '', rawHeaders } = request;
    const { pathname, searchParams: query } = new URL(target, unleash);
    const { path, operation, isGateway } = routeOf(method, pathname, basePath);
    const isBelow = gatewayPath !== undefined && pathname.startsWith(`${gatewayPath}/`);
    const by = (isGateway || isBelow) && gateway !== undefined ? 'gateway' : 'unleash';
    const { hostname, port } = new URL((by === 'gateway' && gateway) || unleash);
    const sent = httpRequest({
      hostname,
      port,
      method,
      path: target,
      headers: rawHeaders,
      // No keep-alive: the server might close a reused connection at the same time.
      agent: false,
    });

    const record = (upstreamResponse: IncomingMessage, body: Buffer) => {
      if (operation === undefined) return;
      const { statusCode: status = 0, headers } = upstreamResponse;
      // For a 304, use the body that the browser has cached.
      if (status !== 304) lastJson.set(target, readJson(body, headers['content-encoding']));
      const json = lastJson.get(target);
      exchanges.push({ operation, by, method, path, query, status, json });
    };

    sent.on('response', (upstreamResponse) => {
      const { statusCode = 0, statusMessage, rawHeaders: received } = upstreamResponse;
      response.sendDate = false;
      response.writeHead(statusCode, statusMessage, received);
      upstreamResponse.on('error', () => response.destroy());
      if (operation === undefined) {
        upstreamResponse.pipe(response);
        return;
      }
      const chunks: Buffer[] = [];
      upstreamResponse.on('data', (chunk: Buffer) => chunks.push(chunk));
      upstreamResponse.on('end', () => {
        // Recorded before it is sent to the browser, so a page never shows an unrecorded response.
        record(upstreamResponse, Buffer.concat(chunks));
        response.end(Buffer.concat(chunks));
      });
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
