import { isLayoutFault } from '../observability/probes.js';
import { type Html, html } from './html.js';
import { PRODUCT } from './web-files.js';

export type DatabaseFacts = {
  kind: 'embedded' | 'postgres';
  ownership: 'flaggraph' | 'unleash';
  layoutVersion: string | null;
  /** Rejects if the database does not respond in time, or lacks required tables or columns. */
  ping: (timeoutMs: number) => Promise<void>;
};

export type DatabaseState = 'answers' | 'silent' | 'lacking';

const PING_LIMIT_MS = 1_000;

export const databaseState = ({ ping }: DatabaseFacts): Promise<DatabaseState> =>
  ping(PING_LIMIT_MS).then(
    () => 'answers' as const,
    (error: unknown) => (isLayoutFault(error) ? 'lacking' : 'silent'),
  );

const STATES: Record<DatabaseState, Html> = {
  answers: html`<span class="state good">Available</span>`,
  silent: html`<span class="state bad">Does not respond</span>`,
  lacking: html`<span class="state bad">Lacks tables or columns</span>`,
};

const databaseText = ({ kind }: DatabaseFacts, hasDemo: boolean): string => {
  const location = kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL';
  return hasDemo ? `${location}, with the demo data` : location;
};

const layoutText = ({ ownership, layoutVersion }: DatabaseFacts): string => {
  if (ownership === 'flaggraph') return `created by this gateway, up to ${layoutVersion ?? 'date'}`;
  const version = layoutVersion === null ? '' : `, version ${layoutVersion}`;
  return `tables of Unleash${version}`;
};

/** The gateway's state as shown to visitors; in production no more than necessary. */
export const databaseFacts = (
  {
    database,
    isProduction,
    demoTokens,
  }: { database: DatabaseFacts; isProduction: boolean; demoTokens?: object },
  state: DatabaseState,
): Html => html`<h2>Status</h2>
<dl class="facts">
<dt>Version</dt><dd>${PRODUCT.version}</dd>
<dt>Database</dt><dd>${STATES[state]} (${databaseText(database, demoTokens !== undefined)})</dd>
${isProduction ? null : html`<dt>Tables</dt><dd>${layoutText(database)}</dd>`}
</dl>`;

const DOCTOR = html`<code>npx flaggraph doctor</code> reports what is wrong.`;

const remedy = ({ kind }: DatabaseFacts, state: DatabaseState): Html => {
  if (state === 'lacking') {
    return html`Tables or columns that the gateway requires were removed since it started. Unleash may be upgrading the database; if the problem persists, ${DOCTOR}`;
  }
  return kind === 'postgres'
    ? html`Check that PostgreSQL is running and reachable at the address in <code>DATABASE_URL</code>; ${DOCTOR}`
    : html`Restart the gateway; if that does not help, check its log.`;
};

/** What is wrong with the database, and what to do. */
export const databaseProblem = (
  database: DatabaseFacts,
  basePath: string,
  state: DatabaseState,
): Html => html`<div class="notice">
<h2>The database is unavailable</h2>
<p>Requests that need it return 503. ${remedy(database, state)}</p>
<p>The gateway itself is running. <a href="${basePath}/start">Reload</a> this page, or poll <a href="${basePath}/readyz">/readyz</a>.</p>
</div>`;
