import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../http/send.js';
import { html } from './html.js';
import type { Layout } from './layout.js';
import { pageResponse } from './page-response.js';
import { PRODUCT } from './web-files.js';

/** Paths whose responses are read by programs: their errors are JSON, also in a browser. */
export const isApiPath = (path: string): boolean => /^\/*(api|export)(\/|$)/i.test(path);

/** For browsers that open an unknown page. */
export const createNotFoundPage = (layout: Layout, basePath: string) => {
  const page = layout({
    title: `Page not found · ${PRODUCT.name}`,
    place: null,
    main: html`<h1>Page not found</h1><p>Nothing is at this address. Go to the <a href="${basePath}/">first page</a>.</p>`,
  });
  return (request: IncomingMessage): HttpResponse => pageResponse(request, page, { status: 404 });
};
