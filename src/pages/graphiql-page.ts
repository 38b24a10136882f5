import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../http/send.js';
import type { DemoRole } from './console-page.js';
import { type GraphiqlAssets, loadGraphiqlAssets } from './graphiql-assets.js';
import { graphiqlTabs } from './graphiql-tabs.js';
import { type Html, html, jsonFor } from './html.js';
import { brand, navigation, type Site } from './layout.js';
import { type Policy, pageResponse } from './page-response.js';
import { PRODUCT } from './web-files.js';

export type GraphiqlPageOptions = {
  site: Site;
  /** Whether introspection works without a token. */
  openIntrospection: boolean;
  /** Whether Unleash's sign-in session is accepted. */
  hasSessions: boolean;
  /** Prefilled with the public demo token, if any. */
  demoToken?: string;
  /** The roles that can be chosen in the console of the demo world. */
  demoRoles: readonly DemoRole[];
};

// The editor adds inline styles. Scripts and workers load from files only.
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
  { site, openIntrospection, hasSessions, demoToken, demoRoles }: GraphiqlPageOptions,
  { styles, scripts, workers, icon }: GraphiqlAssets,
): Html => {
  const { basePath, assets } = site;
  const settings = {
    endpoint: `${basePath}/graphql`,
    startPage: `${basePath}/start`,
    openIntrospection,
    hasSessions,
    demoToken: demoToken ?? null,
    demoTokens: demoRoles.map(({ token }) => token),
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
<section class="token" aria-label="Authentication">
${tokenBox}
<p id="token-state" role="status"></p>
<details id="token-grants" hidden><summary>Your permissions</summary><ul></ul></details>
</section>
</header>
<main>
<h1 class="hidden">GraphiQL</h1>
<div id="root"><p class="wait">Loading GraphiQL …</p></div>
<noscript><p class="wait">GraphiQL requires JavaScript. Without it, POST your queries to <code>${settings.endpoint}</code>.</p></noscript>
</main>
</body>
</html>
`;
};

/** GraphiQL, served entirely by the gateway: a small page and cacheable files. */
export const createGraphiqlPage = (options: GraphiqlPageOptions) => {
  let loading: Promise<GraphiqlAssets> | undefined;
  const load = () => {
    loading ??= loadGraphiqlAssets(options.site.assets);
    return loading;
  };

  return {
    /** Files may be requested before the page, which can come from another gateway or a cache. */
    load,
    respond: async (request: IncomingMessage): Promise<HttpResponse> =>
      pageResponse(request, render(options, await load()), { policy: POLICY }),
  };
};
