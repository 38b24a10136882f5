import { isLayoutFault } from '../observability/probes.js';
import { type Html, html } from './html.js';
import { PRODUCT } from './web-files.js';

export type DatabaseFacts = {
  kind: 'embedded' | 'postgres';
  ownership: 'ours' | 'original';
  layoutVersion: string | null;
  /** Rejects when the database does not answer in time, or lacks what is needed. */
  ping: (timeoutMs: number) => Promise<void>;
};

export type DatabaseState = 'answers' | 'silent' | 'lacking';

const PING_LIMIT_MS = 1_000;

/** Asks the database how it is. */
export const databaseState = ({ ping }: DatabaseFacts): Promise<DatabaseState> =>
  ping(PING_LIMIT_MS).then(
    () => 'answers' as const,
    (error: unknown) => (isLayoutFault(error) ? 'lacking' : 'silent'),
  );

const STATES: Record<DatabaseState, Html> = {
  answers: html`<span class="state good">Answers</span>`,
  silent: html`<span class="state bad">Does not answer</span>`,
  lacking: html`<span class="state bad">Lacks tables or columns</span>`,
};

const databaseWords = ({ kind }: DatabaseFacts, hasDemo: boolean): string => {
  const place = kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL';
  return hasDemo ? `${place}, with the demo world` : place;
};

const layoutWords = ({ ownership, layoutVersion }: DatabaseFacts): string => {
  if (ownership === 'ours') return `laid out by this gateway, up to ${layoutVersion ?? 'date'}`;
  const version = layoutVersion === null ? '' : `, version ${layoutVersion}`;
  return `attached to the tables of the original service${version}`;
};

/** What a visitor is told of the gateway and its database; in production no more than is needed. */
export const databaseFacts = (
  {
    database,
    isProduction,
    demoTokens,
  }: { database: DatabaseFacts; isProduction: boolean; demoTokens?: object },
  state: DatabaseState,
): Html => html`<h2>State</h2>
<dl class="facts">
<dt>Version</dt><dd>${PRODUCT.version}</dd>
<dt>Database</dt><dd>${STATES[state]} (${databaseWords(database, demoTokens !== undefined)})</dd>
${isProduction ? null : html`<dt>Tables</dt><dd>${layoutWords(database)}</dd>`}
</dl>`;

const DOCTOR = html`<code>npx flaggraph doctor</code> says what is wrong.`;

const wayOut = ({ kind }: DatabaseFacts, state: DatabaseState): Html => {
  if (state === 'lacking') {
    return html`It has changed since the gateway was started, and lacks something that is needed. Its own service may be upgrading it just now; if it stays so, ${DOCTOR}`;
  }
  return kind === 'postgres'
    ? html`See that PostgreSQL runs and can be reached at the address in <code>DATABASE_URL</code>; ${DOCTOR}`
    : html`Start the gateway again; if that does not help, its log says why.`;
};

/** What is wrong with the database, and what to do. */
export const databaseTrouble = (
  database: DatabaseFacts,
  basePath: string,
  state: DatabaseState,
): Html => html`<div class="notice">
<h2>The database cannot be used</h2>
<p>Until it can, requests that need it are answered with 503. ${wayOut(database, state)}</p>
<p>The gateway itself runs. <a href="${basePath}/">Look again</a>, or watch <a href="${basePath}/readyz">/readyz</a>.</p>
</div>`;
