import type { IncomingMessage } from 'node:http';
import type { Answer } from '../http/send.js';
import { type Html, html } from './html.js';
import type { Layout, Site } from './layout.js';
import { pageAnswer } from './page-answer.js';
import { PRODUCT } from './web-files.js';

export type DatabaseFacts = {
  kind: 'embedded' | 'postgres';
  ownership: 'ours' | 'original';
  layoutVersion: string | null;
  /** Rejects when the database does not answer in time, or lacks what is needed. */
  ping: (timeoutMs: number) => Promise<void>;
};

export type StartPageOptions = {
  site: Site;
  layout: Layout;
  database: DatabaseFacts;
  /** Whether everybody may see it: then it tells no more than is needed. */
  isProduction: boolean;
  /** A token that everybody knows. */
  demoToken?: string;
};

const PING_LIMIT_MS = 1_000;

const databaseWords = ({ kind }: DatabaseFacts, demoToken: string | undefined): string => {
  const place = kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL';
  return demoToken === undefined ? place : `${place}, with the demo world`;
};

const layoutWords = ({ ownership, layoutVersion }: DatabaseFacts): string => {
  if (ownership === 'ours') return `laid out by this gateway, up to ${layoutVersion ?? 'date'}`;
  const version = layoutVersion === null ? '' : `, version ${layoutVersion}`;
  return `attached to the tables of the original service${version}`;
};

const facts = (
  { database, isProduction, demoToken }: StartPageOptions,
  isAnswering: boolean,
): Html => {
  const state = isAnswering
    ? html`<span class="state good">Answers</span>`
    : html`<span class="state bad">Does not answer</span>`;
  return html`<h2>State</h2>
<dl class="facts">
<dt>Version</dt><dd>${PRODUCT.version}</dd>
<dt>Database</dt><dd>${state} (${databaseWords(database, demoToken)})</dd>
${isProduction ? null : html`<dt>Tables</dt><dd>${layoutWords(database)}</dd>`}
</dl>`;
};

const trouble = ({ site, database }: StartPageOptions): Html => html`<div class="notice">
<h2>The database does not answer</h2>
<p>Until it does, requests that need it are answered with 503. ${
  database.kind === 'postgres'
    ? html`See that PostgreSQL runs and can be reached at the address in <code>DATABASE_URL</code>; <code>npx flaggraph doctor</code> says what is wrong.`
    : html`Start the gateway again; if that does not help, its log says why.`
}</p>
<p>The gateway itself runs. <a href="${site.basePath}/">Look again</a>, or watch <a href="${site.basePath}/readyz">/readyz</a>.</p>
</div>`;

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
    `${basePath}/api/admin/openapi.json`,
    'OpenAPI',
    'The four REST paths. Like them it needs a token.',
  ),
  door(`${basePath}/metrics`, 'Metrics', 'What Prometheus collects.'),
]}</ul>`;

const CREATE = html`<pre tabindex="0"><code>npx flaggraph token create admin --name me</code></pre>`;

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

const tokens = (options: StartPageOptions, address: string): Html => {
  const { demoToken } = options;
  return html`<h2 id="get-a-token">Get a token</h2>
<p>Every request carries one in its <code>Authorization</code> header; it may do what the database allows it.</p>
${demoToken === undefined ? null : html`<p>The demo world has one that may do everything: <code>${demoToken}</code></p>`}
${ownToken(options)}
<p>Then ask:</p>
<pre tabindex="0"><code>curl ${address}/graphql \\
  -H 'Authorization: ${demoToken ?? '<token>'}' \\
  -H 'Content-Type: application/json' \\
  -d '{"query": "{ events(first: 3) { nodes { summary } } }"}'</code></pre>`;
};

/** The first thing a visitor sees: what this is, how it is, and where to go from here. */
export const createStartPage = (options: StartPageOptions) => {
  const { site, layout, database } = options;

  return async (request: IncomingMessage): Promise<Answer> => {
    const isAnswering = await database.ping(PING_LIMIT_MS).then(
      () => true,
      () => false,
    );
    const main = html`<h1>${PRODUCT.name}</h1>
<p class="lead">${PRODUCT.description}</p>
${isAnswering ? null : trouble(options)}
${facts(options, isAnswering)}
${doors(site)}
${tokens(options, addressOf(request, site))}`;
    const page = layout({ title: PRODUCT.name, place: 'start', main });
    return pageAnswer(request, page, { isLive: true });
  };
};
