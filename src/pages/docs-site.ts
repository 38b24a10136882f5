import type { IncomingMessage } from 'node:http';
import { keepBody } from '../http/kept-bodies.js';
import { createPrecompressed } from '../http/precompressed.js';
import type { HttpResponse } from '../http/send.js';
import { FOREVER } from './assets.js';
import { type DocsFiles, readDocsFiles } from './docs-files.js';
import { html } from './html.js';
import type { Layout, Site } from './layout.js';
import { etagOf, isNotModified, type Policy, pageHeaders, pageResponse } from './page-response.js';
import { PRODUCT } from './web-files.js';

const OPENAPI = 'openapi.html';

const SHARED: Policy = { 'font-src': "'self'", 'img-src': "'self' data:", 'connect-src': "'self'" };

/** Inline scripts run only if the build has seen them. Highlighted code has style attributes. */
const pagePolicy = (scriptHashes: readonly string[]): Policy => ({
  ...SHARED,
  'script-src': ["'self'", ...scriptHashes.map((hash) => `'${hash}'`)].join(' '),
  'style-src-attr': "'unsafe-inline'",
});

/** The OpenAPI viewer adds style elements. */
const OPENAPI_POLICY: Policy = {
  ...SHARED,
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
};

const isHtml = (name: string) => name.endsWith('.html');

/** Address of a page below `/docs/`: `guides/index.html` is `guides/`. */
const addressOf = (name: string) => name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '');

/** The page that was most likely meant: with a file extension, or with a slash too few or too many. */
const nearby = (name: string) => [
  name.replace(/(^|\/)(index)?\.(html|md)$/, '$1').replace(/\.(html|md)$/, ''),
  `${name}/`,
  name.replace(/\/+$/, ''),
];

/** One file of the site, read and compressed on first use. */
const createFile = (name: string, files: DocsFiles) => {
  const policy = name === OPENAPI ? OPENAPI_POLICY : pagePolicy(files.scriptHashes);
  const headers = {
    ...(isHtml(name) ? pageHeaders(policy) : { 'content-type': files.typeOf(name) }),
    'cache-control': name.startsWith('assets/') ? FOREVER : 'no-cache',
  };
  const load = () => {
    const body = files.read(name);
    const compressed = files.isText(name)
      ? createPrecompressed(body)
      : async () => ({ headers: {}, body: keepBody(body) });
    return { etag: etagOf(body), compressed };
  };
  let loaded: ReturnType<typeof load> | undefined;

  return async (request: IncomingMessage, status = 200): Promise<HttpResponse> => {
    loaded ??= load();
    const { etag, compressed } = loaded;
    if (status === 200 && isNotModified(request, etag)) {
      return { status: 304, headers: { ...headers, etag }, body: null };
    }
    const form = await compressed(request);
    return { status, headers: { ...headers, ...form.headers, etag }, body: form.body };
  };
};

const createSite = (base: string, files: DocsFiles) => {
  const served = new Map(files.names.map((name) => [addressOf(name), createFile(name, files)]));
  // Comparing longer addresses takes time, and none is close to a page.
  const maxLength = Math.max(...[...served.keys()].map((address) => address.length)) + 20;
  const missing = createFile(files.notFound, files);

  const moved = (address: string): HttpResponse => ({
    status: 301,
    headers: { location: `${base}${address}`, 'cache-control': 'no-cache' },
    body: null,
  });

  return async (request: IncomingMessage, address: string): Promise<HttpResponse> => {
    const file = served.get(address);
    if (file) return file(request);
    const isNear = address.length <= maxLength;
    const near = isNear ? nearby(address).find((name) => served.has(name)) : undefined;
    return near === undefined ? missing(request, 404) : moved(near);
  };
};

export type DocsSiteOptions = { site: Site; layout: Layout; folder?: URL };

/** The documentation, built by `npm run docs`. Only files found at the start are served, so path traversal is impossible. */
export const createDocsSite = ({ site, layout, folder }: DocsSiteOptions) => {
  const base = `${site.basePath}/docs/`;
  const files = readDocsFiles(site, folder);
  const respond = files && createSite(base, files);
  const unbuilt = layout({
    title: `Documentation · ${PRODUCT.name}`,
    place: 'docs',
    main: html`<h1>Documentation</h1><p>The documentation is not built. Run <code>npm run docs</code> in the clone and restart the gateway.</p>`,
  });

  return {
    /** `path` is what follows `/docs`. */
    respond: async (request: IncomingMessage, path: string): Promise<HttpResponse> => {
      if (path === '') {
        return {
          status: 301,
          headers: { location: base, 'cache-control': 'no-cache' },
          body: null,
        };
      }
      return respond
        ? respond(request, path.slice(1))
        : pageResponse(request, unbuilt, { status: 404 });
    },
  };
};
