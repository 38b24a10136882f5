import { DELIVERY_COUNT, INTEGRATION_ID, LARGE_PROJECT, OTHER_PROJECTS } from '../world/facts.js';
import type { Case, Question } from './case.js';

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

const reportQuestion = (project: string): Question => {
  const request = { path: `/api/admin/projects/${project}/health-report` };
  return {
    requests: { gateway: request, unleash: request },
    readers: { gateway: readReport, unleash: readReport },
    expect: async (sql) => {
      const { name } = await sql.one<{ name: string }>(
        `select name from projects where id = '${project}'`,
      );
      const rows = await sql.query<{ name: string; stale: boolean; environments: string[] }>(
        `select f.name, f.stale, array_agg(e.environment || ':' || e.enabled order by e.environment)::text[] as environments
         from features f join feature_environments e on e.feature_name = f.name
         where f.project = '${project}' and f.archived_at is null group by f.name, f.stale order by f.name collate "C"`,
      );
      return { name, features: rows.map((row) => [row.name, row.stale, ...row.environments]) };
    },
  };
};

export const healthReports = (): Case => ({
  id: 'health-reports',
  title: 'Health reports of 19 projects, 200 features each',
  subject: 'gateway',
  targets: [{ against: 'unleash', atLeast: 3 }],
  names: ['gateway', 'unleash'],
  drawQuestion: (draw) => reportQuestion(draw.pick(OTHER_PROJECTS)),
});

export const largeHealthReport = (): Case => ({
  id: 'health-report',
  title: 'Health report of one project, 1,000 features',
  subject: 'gateway',
  targets: [{ against: 'unleash', atLeast: 5 }],
  names: ['gateway', 'unleash'],
  drawQuestion: () => reportQuestion(LARGE_PROJECT),
});

type Deliveries = { integrationEvents: { id: string; state: string; event: unknown }[] };

const readDeliveries = (response: unknown): unknown =>
  (response as Deliveries).integrationEvents.map(({ id, state, event }) => [id, state, event]);

export const integrationEvents = (): Case => ({
  id: 'integration-events',
  title: 'Integration events',
  subject: 'gateway',
  targets: [{ against: 'unleash', atLeast: 5 }],
  names: ['gateway', 'unleash'],
  drawQuestion: (draw) => {
    const limit = draw.pick([20, 25, 50]);
    const offset = limit * draw.popular(Math.floor(DELIVERY_COUNT / 2 / limit));
    const request = {
      path: `/api/admin/addons/${INTEGRATION_ID}/events?limit=${limit}&offset=${offset}`,
    };
    return {
      requests: { gateway: request, unleash: request },
      readers: { gateway: readDeliveries, unleash: readDeliveries },
      expect: async (sql) => {
        const rows = await sql.query<{ id: string; state: string; event: unknown }>(
          `select id::text, state, event from integration_events where integration_id = ${INTEGRATION_ID}
           order by integration_events.id desc limit ${limit} offset ${offset}`,
        );
        return rows.map(({ id, state, event }) => [id, state, event]);
      },
    };
  },
});
