import { INTEGRATION_ID, LARGE_PROJECT } from '../world/facts.js';
import type { Case, Part } from './case.js';

type Report = {
  name: string;
  features: { name: string; stale: boolean; environments: { name: string; enabled: boolean }[] }[];
};

const readReport = (response: unknown): unknown => {
  const { name, features } = response as Report;
  return {
    name,
    features: features
      .map((feature) => [
        feature.name,
        feature.stale,
        ...feature.environments
          .map((environment) => `${environment.name}:${environment.enabled}`)
          .sort(),
      ])
      .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  };
};

const report: Part = {
  request: { path: `/api/admin/projects/${LARGE_PROJECT}/health-report` },
  read: readReport,
};

export const healthReport = (): Case => ({
  id: 'health-report',
  title: 'Health report, 1,000 features',
  subject: 'gateway',
  targets: [{ against: 'original', atLeast: 5 }],
  parts: { gateway: report, original: report },
  expect: async (sql) => {
    const { name } = await sql.one<{ name: string }>(
      `select name from projects where id = '${LARGE_PROJECT}'`,
    );
    const rows = await sql.query<{ name: string; stale: boolean; environments: string[] }>(
      `select f.name, f.stale, array_agg(e.environment || ':' || e.enabled order by e.environment)::text[] as environments
       from features f join feature_environments e on e.feature_name = f.name
       where f.project = '${LARGE_PROJECT}' and f.archived_at is null group by f.name, f.stale order by f.name collate "C"`,
    );
    return {
      name,
      features: rows.map((row) => [row.name, row.stale, ...row.environments]),
    };
  },
});

type Deliveries = { integrationEvents: { id: string; state: string; event: unknown }[] };

const deliveries: Part = {
  request: { path: `/api/admin/addons/${INTEGRATION_ID}/events?limit=50` },
  read: (response) =>
    (response as Deliveries).integrationEvents.map(({ id, state, event }) => [id, state, event]),
};

export const integrationEvents = (): Case => ({
  id: 'integration-events',
  title: 'Integration events',
  subject: 'gateway',
  targets: [{ against: 'original', atLeast: 3 }],
  parts: { gateway: deliveries, original: deliveries },
  expect: async (sql) => {
    const rows = await sql.query<{ id: string; state: string; event: unknown }>(
      `select id::text, state, event from integration_events where integration_id = ${INTEGRATION_ID}
       order by integration_events.id desc limit 50`,
    );
    return rows.map(({ id, state, event }) => [id, state, event]);
  },
});
