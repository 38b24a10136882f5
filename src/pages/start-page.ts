import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/send.js';
import {
  type DatabaseFacts,
  databaseFacts,
  databaseState,
  databaseTrouble,
} from './database-state.js';
import { type Html, html } from './html.js';
import type { Layout, Site } from './layout.js';
import { pageAnswer } from './page-answer.js';
import { PRODUCT } from './web-files.js';

/** Tokens that everybody knows: one that may do everything, and one that may only read. */
export type DemoTokens = { admin: string; viewer: string };

export type StartPageOptions = {
  site: Site;
  layout: Layout;
  database: DatabaseFacts;
  /** Whether everybody may see it: then it tells no more than is needed. */
  isProduction: boolean;
  demoTokens?: DemoTokens;
};

const door = (href: string, name: string, text: string): Html =>
  html`<li><a href="${href}">${name}</a><p>${text}</p></li>`;

const doors = ({ basePath, hasGraphiql }: Site): Html => html`<h2>Where to go</h2>
<ul class="doors">${[
  ...(hasGraphiql
    ? [
        door(
          `${basePath}/graphql`,
          'GraphiQL',
          'Explore the graph and run queries, with a tab for each question people have.',
        ),
      ]
    : []),
  door(
    `${basePath}/docs/`,
    'Docs',
    'Questions and the queries that answer them, settings, errors, metrics.',
  ),
  door(
    `${basePath}/docs/migrate-from-rest`,
    'REST',
    'The four REST paths, and where the graph has what they answer.',
  ),
  door(`${basePath}/docs/openapi.json`, 'OpenAPI', 'The same paths, described for programs.'),
  door(`${basePath}/metrics`, 'Metrics', 'What Prometheus collects.'),
]}</ul>
${hasGraphiql ? null : html`<p>GraphiQL is off on this gateway; its setting <code>GRAPHIQL</code> decides.</p>`}`;

/** Commands are wrapped where they do not fit: who copies one wants to see all of it. */
const command = (text: string): Html => html`<pre class="command"><code>${text}</code></pre>`;

const CREATE = command('npx flaggraph token create admin --name me');

const ownToken = ({ database }: StartPageOptions): Html => {
  if (database.ownership === 'original') {
    return html`<p>The tokens of the service that keeps this database are good here: make an admin token or a personal token in its admin pages.</p>`;
  }
  if (database.kind === 'embedded') {
    return html`<p>To make one of your own, stop the server first (the embedded database belongs to one process at a time):</p>${CREATE}`;
  }
  return html`<p>Make one where the gateway runs, with its <code>DATABASE_URL</code>:</p>${CREATE}`;
};

/** The gateway as the visitor reached it; a proxy in front tells what it was called by. */
const addressOf = ({ headers }: IncomingMessage, { basePath }: Site): string => {
  const host = /^[\w.:[\]-]+$/.exec(headers.host ?? '')?.[0] ?? 'localhost';
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${host}${basePath}`;
};

const demoWords = ({ admin, viewer }: DemoTokens): Html =>
  html`<p>The demo world has one that may do everything, <code>${admin}</code>, and one that may only read, <code>${viewer}</code>.</p>`;

const tokens = (options: StartPageOptions, address: string): Html => {
  const { demoTokens } = options;
  const authorization = `-H 'Authorization: ${demoTokens?.admin ?? '<token>'}'`;
  return html`<h2 id="get-a-token">Get a token</h2>
<p>Every request carries one in its <code>Authorization</code> header; it may do what the database allows it.</p>
${demoTokens === undefined ? null : demoWords(demoTokens)}
${ownToken(options)}
<p>Then ask:</p>
${command(`curl ${address}/graphql \\
  ${authorization} \\
  -H 'Content-Type: application/json' \\
  -d '{"query": "{ events(first: 3) { nodes { summary } } }"}'`)}`;
};

/** The first thing a visitor sees: what this is, how it is, and where to go from here. */
export const createStartPage = (options: StartPageOptions) => {
  const { site, layout, database } = options;

  return async (request: IncomingMessage): Promise<Answer> => {
    const state = await databaseState(database);
    const main = html`<h1>${PRODUCT.name}</h1>
<p class="lead">${PRODUCT.description}</p>
${state === 'answers' ? null : databaseTrouble(database, site.basePath, state)}
${databaseFacts(options, state)}
${doors(site)}
${tokens(options, addressOf(request, site))}`;
    const page = layout({ title: PRODUCT.name, place: 'start', main });
    return pageAnswer(request, page, { isLive: true });
  };
};
