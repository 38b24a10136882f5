import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/send.js';
import { type GraphiqlAssets, loadGraphiqlAssets } from './graphiql-assets.js';
import { graphiqlTabs } from './graphiql-tabs.js';
import { type Html, html, jsonFor } from './html.js';
import { brand, navigation, type Site } from './layout.js';
import { type Policy, pageAnswer } from './page-answer.js';
import { PRODUCT } from './web-files.js';

export type GraphiqlPageOptions = {
  site: Site;
  /** Whether the graph may be explored without a token. */
  openIntrospection: boolean;
  /** Filled in where everybody knows it. */
  demoToken?: string;
};

// The editor writes style elements and attributes of its own; scripts and workers come from files only.
const POLICY: Policy = {
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
};

const tokenBox = html`<form id="token-form" autocomplete="off">
<label for="token">Token</label>
<input id="token" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Paste a token" aria-describedby="token-state">
<button id="token-use" type="submit">Use</button>
<button id="token-forget" type="button" hidden>Forget</button>
</form>`;

const render = (
  { site, openIntrospection, demoToken }: GraphiqlPageOptions,
  { styles, scripts, workers, icon }: GraphiqlAssets,
): Html => {
  const { basePath, assets } = site;
  const settings = {
    endpoint: `${basePath}/graphql`,
    startPage: `${basePath}/`,
    openIntrospection,
    demoToken: demoToken ?? null,
    workers,
    tabs: graphiqlTabs(new Date()),
  };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>GraphiQL · ${PRODUCT.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.urlOf(icon)}" type="image/svg+xml">
${styles.map((href) => html`<link rel="stylesheet" href="${href}">\n`)}<script type="application/json" id="settings">${jsonFor(settings)}</script>
<script type="module" src="${scripts.page}"></script>
<script defer src="${scripts.graphiql}"></script>
</head>
<body>
<header class="bar">
<div class="bar-links">${brand(site, icon)}${navigation(site, 'graphiql')}</div>
<section class="token" aria-label="Who you are">
${tokenBox}
<p id="token-state" role="status"></p>
<details id="token-grants" hidden><summary>What you may do</summary><ul></ul></details>
</section>
</header>
<main>
<h1 class="hidden">GraphiQL</h1>
<div id="root"><p class="wait">Loading GraphiQL …</p></div>
<noscript><p class="wait">GraphiQL needs JavaScript. Without it, POST your queries to <code>${settings.endpoint}</code>.</p></noscript>
</main>
</body>
</html>
`;
};

/** GraphiQL, wholly from the gateway: a small page, and files that a browser keeps. */
export const createGraphiqlPage = (options: GraphiqlPageOptions) => {
  let loading: Promise<GraphiqlAssets> | undefined;
  const load = () => {
    loading ??= loadGraphiqlAssets(options.site.assets);
    return loading;
  };

  return {
    /** Files can be asked for before the page is: it may come from another gateway, or from a cache. */
    load,
    answer: async (request: IncomingMessage): Promise<Answer> =>
      pageAnswer(request, render(options, await load()), { policy: POLICY }),
  };
};
