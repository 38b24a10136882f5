import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { Answer } from '../http/send.js';

const WELCOME = `# Welcome to flaggraph.
# Your token goes below, under Headers.
query LatestEvents {
  viewer {
    name
    isAdmin
  }
  events(first: 5) {
    totalCount
    nodes {
      id
      createdAt
      label
      summary
    }
  }
}
`;

export const wantsPage = (request: IncomingMessage, search: string): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  (request.headers.accept ?? '').includes('text/html') &&
  !new URLSearchParams(search).has('query');

/** GraphiQL as one page that needs no other host; nine megabytes, so it is packed once and cached well. */
export const createGraphiql = (options: { endpoint: string; token?: string }) => {
  const build = async () => {
    const page = renderGraphiQL({
      title: 'flaggraph',
      endpoint: options.endpoint,
      defaultQuery: WELCOME,
      ...(options.token && { headers: JSON.stringify({ Authorization: options.token }, null, 2) }),
    });
    const etag = `"${createHash('sha1').update(page).digest('base64url')}"`;
    return { page, etag, packed: await promisify(gzip)(page) };
  };
  let built: ReturnType<typeof build> | undefined;

  return async (request: IncomingMessage): Promise<Answer> => {
    built ??= build();
    const { page, etag, packed } = await built;
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'Accept, Accept-Encoding',
      'x-frame-options': 'DENY',
      'content-security-policy': "frame-ancestors 'none'",
      etag,
    };
    if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: null };
    const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    return takesGzip
      ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: packed }
      : { status: 200, headers, body: page };
  };
};
