import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from '../config/trusted-proxies.js';
import { isRead } from '../http/is-read.js';
import { createPrecompressed } from '../http/precompressed.js';
import type { HttpResponse } from '../http/send.js';
import { createAssets } from './assets.js';
import { readConsoleFiles } from './console-files.js';
import { createConsole, type DemoRole } from './console-page.js';
import type { ConsoleDecision } from './console-setting.js';
import type { DatabaseFacts } from './database-state.js';
import { createDocsSite } from './docs-site.js';
import { createGraphiqlPage } from './graphiql-page.js';
import { createIndex } from './index-document.js';
import { createLayout, type Site } from './layout.js';
import { createNotFoundPage, isApiPath } from './not-found-page.js';
import { takesHtml } from './page-response.js';
import { createStartPage, type DemoTokens } from './start-page.js';

export type PagesOptions = {
  basePath: string;
  hasGraphiql: boolean;
  console: ConsoleDecision;
  /** The built console. Default: the one in the package. */
  consoleFolder?: URL;
  /** Address of the admin UI of Unleash. */
  adminUiUrl: string;
  isProduction: boolean;
  /** Proxies whose X-Forwarded-* headers are used. */
  trustedProxies: TrustedProxies;
  /** Whether Unleash's sign-in session is accepted. */
  hasSessions: boolean;
  database: DatabaseFacts;
  /** Whether the URL of a GET contains a GraphQL request. */
  isGraphqlRequest: (search: string) => boolean;
  /** The OpenAPI document of the REST paths. It is documentation, so it needs no token. */
  openApi: object;
  /** Shown and prefilled. Never set in production. */
  demoTokens?: DemoTokens;
  /** Roles of the demo world. Never set in production. */
  demoRoles?: readonly DemoRole[];
};

/** The pages for browsers: console or start page, documentation and GraphiQL. Other clients get an index at `/`. */
export const createPages = (options: PagesOptions) => {
  const {
    basePath,
    hasGraphiql,
    isProduction,
    hasSessions,
    database,
    demoTokens,
    isGraphqlRequest,
  } = options;
  const assets = createAssets(basePath);
  const consoleFiles = options.console.isOn ? readConsoleFiles(options.consoleFolder) : null;
  const hasConsole = consoleFiles !== null;
  const site: Site = { basePath, hasGraphiql, hasConsole, assets };
  const layout = createLayout(site);
  const startPage = createStartPage({
    site,
    layout,
    database,
    isProduction,
    trustedProxies: options.trustedProxies,
    hasSessions,
    console: options.console,
    ...(demoTokens && { demoTokens }),
  });
  const webConsole = consoleFiles
    ? createConsole({
        site,
        files: consoleFiles,
        hasSessions,
        adminUiUrl: hasSessions ? options.adminUiUrl : null,
        demoRoles: options.demoRoles ?? [],
      })
    : null;
  const respondWithIndex = createIndex(site);
  const notFound = createNotFoundPage(layout, basePath);
  const docs = createDocsSite({ site, layout });
  const graphiql = createGraphiqlPage({
    site,
    openIntrospection: !isProduction,
    hasSessions,
    ...(demoTokens && { demoToken: demoTokens.admin }),
    demoRoles: options.demoRoles ?? [],
  });

  /** Where GraphiQL's URL redirects if it is off. */
  const toStartPage: HttpResponse = {
    status: 303,
    headers: { location: `${basePath}/`, 'cache-control': 'no-store' },
    body: null,
  };

  const openApi = createPrecompressed(Buffer.from(JSON.stringify(options.openApi)));
  const respondWithOpenApi = async (request: IncomingMessage): Promise<HttpResponse> => {
    const { headers, body } = await openApi(request);
    const type = 'application/json; charset=utf-8';
    return {
      status: 200,
      headers: { ...headers, 'content-type': type, 'cache-control': 'no-cache' },
      body,
    };
  };

  const findAsset = async (request: IncomingMessage, fileName: string): Promise<HttpResponse> => {
    const isOfGraphiql = hasGraphiql && !fileName.startsWith('console/');
    if (isOfGraphiql && !assets.find(fileName)) await graphiql.load();
    const asset = assets.find(fileName) ?? webConsole?.findFile(`/assets/${fileName}`);
    if (asset) return asset(request);
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 404, headers, body: 'File not found. Reload the page.\n' };
  };

  return {
    /** Null if the request is not for a page. */
    find: (
      request: IncomingMessage,
      path: string,
      search: string,
    ): (() => Promise<HttpResponse>) | null => {
      if (!isRead(request)) return null;
      if (path.startsWith('/assets/')) return () => findAsset(request, path.slice(8));
      if (path === '/docs/openapi.json') return () => respondWithOpenApi(request);
      if (/^\/docs(\/|$)/.test(path)) return () => docs.respond(request, path.slice(5));
      if (!takesHtml(request)) return path === '/' ? async () => respondWithIndex(request) : null;
      if (webConsole?.isScreen(path)) return () => webConsole.respond(request);
      if (path === '/' || /^\/start\/?$/.test(path)) return () => startPage(request);
      if (isApiPath(path)) return null;
      if (!/^\/graphql\/?$/.test(path)) return async () => notFound(request);
      if (isGraphqlRequest(search)) return null;
      return hasGraphiql ? () => graphiql.respond(request) : async () => toStartPage;
    },
  };
};
