import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from '../config/trusted-proxies.js';
import { forwardedOf } from '../http/forwarded.js';
import type { HttpResponse } from '../http/send.js';
import type { ConsoleDecision } from './console-setting.js';
import {
  type DatabaseFacts,
  databaseFacts,
  databaseProblem,
  databaseState,
} from './database-state.js';
import { type Html, html } from './html.js';
import type { Layout, Site } from './layout.js';
import { type Policy, pageResponse } from './page-response.js';
import { addWebModule, PRODUCT } from './web-files.js';

/** Publicly known tokens: one with all permissions, and one that may only read. */
export type DemoTokens = { admin: string; viewer: string };

export type StartPageOptions = {
  site: Site;
  layout: Layout;
  database: DatabaseFacts;
  /** The page may be public, so it shows no more than necessary. */
  isProduction: boolean;
  trustedProxies: TrustedProxies;
  /** Whether Unleash's sign-in session is accepted. */
  hasSessions: boolean;
  console: ConsoleDecision;
  demoTokens?: DemoTokens;
};

const SCRIPT_POLICY: Policy = { 'script-src': "'self'", 'connect-src': "'self'" };

const linkItem = (href: string, name: string, text: string): Html =>
  html`<li><a href="${href}">${name}</a><p>${text}</p></li>`;

const linkList = ({ basePath, hasGraphiql, hasConsole }: Site): Html => html`<h2>Links</h2>
<ul class="doors">${[
  ...(hasConsole
    ? [
        linkItem(
          `${basePath}/`,
          'Console',
          'Events, features, projects, clean-up and integrations, without a query.',
        ),
      ]
    : []),
  ...(hasGraphiql
    ? [
        linkItem(
          `${basePath}/graphql`,
          'GraphiQL',
          'Explore the schema and run queries, with a tab for each common question.',
        ),
      ]
    : []),
  linkItem(`${basePath}/docs/`, 'Docs', 'Guides, example queries, settings, errors and metrics.'),
  linkItem(
    `${basePath}/docs/guides/migrate-from-rest`,
    'REST',
    'The four REST paths and their GraphQL equivalents.',
  ),
  linkItem(
    `${basePath}/docs/openapi`,
    'OpenAPI',
    'Reference of the REST paths, with a console to try them.',
  ),
  linkItem(`${basePath}/metrics`, 'Metrics', 'Metrics in Prometheus format.'),
]}</ul>
${hasGraphiql ? null : html`<p>GraphiQL is off on this gateway. To turn it on, set <code>GRAPHIQL=on</code>.</p>`}`;

const consoleState = ({ console }: StartPageOptions): Html | null =>
  console.isOn ? null : html`<p>The console is off on this gateway: ${console.reason}.</p>`;

/** Wraps long commands, so that all of a command is visible when it is copied. */
const command = (text: string): Html => html`<pre class="command"><code>${text}</code></pre>`;

const CREATE = command('npx flaggraph token create admin --name me');

const ownToken = ({ database }: StartPageOptions): Html => {
  if (database.ownership === 'unleash') {
    return html`<p>Tokens of Unleash are valid here: create a personal access token in its admin UI, or an admin token if its edition has them.</p>`;
  }
  if (database.kind === 'embedded') {
    return html`<p>To create your own token, run this in the folder where the gateway was started:</p>${CREATE}`;
  }
  return html`<p>Create one where the gateway runs, with its <code>DATABASE_URL</code>:</p>${CREATE}`;
};

/** The gateway's URL as seen by the visitor's browser. */
const addressOf = (
  request: IncomingMessage,
  { site, trustedProxies }: StartPageOptions,
): string => {
  const { host, protocol } = forwardedOf(request, trustedProxies);
  return `${protocol}://${/^[\w.:[\]-]+$/.exec(host ?? '')?.[0] ?? 'localhost'}${site.basePath}`;
};

const demoText = ({ admin, viewer }: DemoTokens): Html =>
  html`<p>The demo data has an admin token, <code>${admin}</code>, and a read-only token, <code>${viewer}</code>.</p>`;

const tokens = (options: StartPageOptions, address: string): Html => {
  const { demoTokens } = options;
  const authorization = `-H 'Authorization: ${demoTokens?.admin ?? '<token>'}'`;
  return html`<h2 id="get-a-token">Get a token</h2>
<p>Every request requires a token in its <code>Authorization</code> header. Permissions are those stored in the database.${options.hasSessions ? ' Pages of this origin can use the sign-in session of Unleash instead.' : null}</p>
${demoTokens === undefined ? null : demoText(demoTokens)}
${ownToken(options)}
<p>Then send a query:</p>
${command(`curl ${address}/graphql \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d '{"query": "{ events(first: 3) { nodes { summary } } }"}'`)}`;
};

/** The start page: what the gateway is, its state, links, and how to get a token. With the console, it is at `/start`. */
export const createStartPage = (options: StartPageOptions) => {
  const { site, layout, database } = options;
  const { basePath, assets } = site;
  const script = options.hasSessions ? assets.urlOf(addWebModule(assets, 'start-page')) : null;

  return async (request: IncomingMessage): Promise<HttpResponse> => {
    const state = await databaseState(database);
    const main = html`<h1>${PRODUCT.name}</h1>
<p class="lead">${PRODUCT.description}</p>
${state === 'answers' ? null : databaseProblem(database, site.basePath, state)}
${databaseFacts(options, state)}
${
  script === null
    ? null
    : html`<p id="signed-in" role="status" data-endpoint="${basePath}/graphql">Checking whether you are signed in …</p>
<script type="module" src="${script}"></script>`
}
${linkList(site)}
${consoleState(options)}
${tokens(options, addressOf(request, options))}`;
    const page = layout({ title: PRODUCT.name, place: 'start', main });
    return pageResponse(request, page, {
      isLive: true,
      ...(script !== null && { policy: SCRIPT_POLICY }),
    });
  };
};
