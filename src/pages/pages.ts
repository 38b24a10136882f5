import type { IncomingMessage } from 'node:http';
import { isRead } from '../http/is-read.js';
import type { Answer } from '../http/send.js';
import { createAssets } from './assets.js';
import type { DatabaseFacts } from './database-state.js';
import { createDocsPages } from './docs-pages.js';
import { createGraphiqlPage } from './graphiql-page.js';
import { createLayout, type Site } from './layout.js';
import { takesHtml } from './page-answer.js';
import { createStartPage, type DemoTokens } from './start-page.js';

export type PagesOptions = {
  basePath: string;
  hasGraphiql: boolean;
  isProduction: boolean;
  database: DatabaseFacts;
  /** Whether the address of a GET asks GraphQL for something. */
  asksGraphql: (search: string) => boolean;
  /** The OpenAPI document of the REST paths, which is documentation, too: it can be read without a token. */
  openApi: object;
  /** Shown and filled in; never given in production. */
  demoTokens?: DemoTokens;
};

/** What a person sees in a browser: the start page, the documentation and GraphiQL. */
export const createPages = (options: PagesOptions) => {
  const { basePath, hasGraphiql, isProduction, database, demoTokens, asksGraphql } = options;
  const assets = createAssets(basePath);
  const site: Site = { basePath, hasGraphiql, assets };
  const layout = createLayout(site);
  const startPage = createStartPage({
    site,
    layout,
    database,
    isProduction,
    ...(demoTokens && { demoTokens }),
  });
  const docs = createDocsPages({ site, layout });
  const graphiql = createGraphiqlPage({
    site,
    openIntrospection: !isProduction,
    ...(demoTokens && { demoToken: demoTokens.admin }),
  });

  /** For who looks for GraphiQL where there is none. */
  const toStartPage: Answer = {
    status: 303,
    headers: { location: `${basePath}/`, 'cache-control': 'no-store' },
    body: null,
  };

  const openApi: Answer = {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
    body: JSON.stringify(options.openApi),
  };

  const findAsset = async (request: IncomingMessage, fileName: string): Promise<Answer> => {
    if (hasGraphiql && !assets.find(fileName)) await graphiql.load();
    const asset = assets.find(fileName);
    if (asset) return asset(request);
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
    return { status: 404, headers, body: 'There is no such file. Load the page again.\n' };
  };

  return {
    /** Null for what is no page. */
    find: (
      request: IncomingMessage,
      path: string,
      search: string,
    ): (() => Promise<Answer>) | null => {
      if (!isRead(request)) return null;
      if (path.startsWith('/assets/')) return () => findAsset(request, path.slice(8));
      if (path === '/docs/openapi.json') return async () => openApi;
      if (/^\/docs(\/|$)/.test(path)) return () => docs.answer(request, path.slice(5));
      if (!takesHtml(request)) return null;
      if (path === '/') return () => startPage(request);
      if (!/^\/graphql\/?$/.test(path) || asksGraphql(search)) return null;
      return hasGraphiql ? () => graphiql.answer(request) : async () => toStartPage;
    },
  };
};
