import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../http/send.js';
import type { Site } from './layout.js';
import { etagOf, isNotModified } from './page-response.js';
import { PRODUCT } from './web-files.js';

/** What `/` returns to clients other than browsers: where everything is. */
export const createIndex = ({ basePath, hasConsole }: Pick<Site, 'basePath' | 'hasConsole'>) => {
  const { name, version, description } = PRODUCT;
  const links = {
    ...(hasConsole && { console: '/' }),
    graphql: '/graphql',
    docs: '/docs/',
    openapi: '/docs/openapi.json',
    exportNdjson: '/export/events.ndjson',
    exportCsv: '/export/events.csv',
    live: '/livez',
    ready: '/readyz',
    metrics: '/metrics',
  };
  const below = Object.entries(links).map(([key, path]) => [key, `${basePath}${path}`]);
  const index = { name, version, description, links: Object.fromEntries(below) };
  const body = `${JSON.stringify(index, undefined, 2)}\n`;
  const etag = etagOf(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'Accept, Accept-Encoding',
    etag,
  };

  return (request: IncomingMessage): HttpResponse =>
    isNotModified(request, etag)
      ? { status: 304, headers, body: null }
      : { status: 200, headers, body };
};
