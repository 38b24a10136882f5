import type { ParityRequest } from '../request.js';
import { PROJECT_IDS } from '../world/projects.js';
import { onBoth, type Scenario } from './scenario.js';

const report = (project: string, more: Partial<ParityRequest> = {}): ParityRequest => ({
  operation: 'health report',
  path: `/api/admin/projects/${encodeURIComponent(project)}/health-report`,
  ...more,
});

const at = (path: string, more: Partial<ParityRequest> = {}): ParityRequest => ({
  operation: 'health report',
  path,
  ...more,
});

const projects: ParityRequest[] = [
  ...PROJECT_IDS.map((id) => report(id)),
  ...PROJECT_IDS.map((id) => report(id, { caller: 'noRole' })),
  ...[
    'ghost',
    'ghost-project',
    'DEFAULT',
    'camelcase',
    '',
    ' ',
    '*',
    '.',
    '..',
    "'",
    '%',
    'x'.repeat(300),
    'null',
    'undefined',
    'constructor',
    '__proto__',
  ].map((id) => report(id)),
  at('/api/admin/projects/%00/health-report'),
  at('/api/admin/projects/%zz/health-report'),
  at('/api/admin/projects/%E4/health-report'),
  at('/api/admin/projects/default/health-report?archived=true&limit[]=3&x'),
  at('/api/admin/projects/default/health-report/'),
  at('/api/admin/projects/default/health-report//'),
  at('/API/Admin/PROJECTS/default/Health-Report'),
  at('//api//admin///projects//default/health-report'),
  at('/api/admin/projects//health-report'),
  at('/api/admin/projects/%64efault/health-report'),
  at('/api/admin/projects/default%2F/health-report'),
  at('/api/admin/projects/odd%20id%2f%c3%a4/health-report'),
];

const favourites: ParityRequest[] = ['viewer', 'editor', 'rootAdmin'].map((caller) =>
  report('default', { caller }),
);

const BUILT_IN = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];

const builtInNames: Scenario = {
  title: '5.4 features named like properties of JavaScript objects',
  setUp: (sides) =>
    onBoth(sides, `insert into features (name, project) select unnest($1::text[]), 'CamelCase'`, [
      BUILT_IN,
    ]),
  tearDown: (sides) => onBoth(sides, 'delete from features where name = any($1)', [BUILT_IN]),
  requests: [report('CamelCase')],
};

const emptyFigures: Scenario = {
  title: '5.2 figures that are null',
  setUp: (sides) =>
    onBoth(
      sides,
      `insert into project_stats (project, avg_time_to_prod_current_window, project_changes_current_window,
         features_created_past_window) values ('old', null, null, null);
       insert into project_stats (project, avg_time_to_prod_current_window) values ('full', 12.125)`,
    ),
  tearDown: (sides) => onBoth(sides, `delete from project_stats where project in ('old', 'full')`),
  requests: [report('old'), report('full')],
};

const manyFeatures: Scenario = {
  title: '5.4 order of features and environments',
  setUp: (sides) =>
    onBoth(
      sides,
      `insert into features (name, project, created_at)
         select name, 'unmatched', '2020-01-01' from unnest(array['10', '9', 'b', 'B', 'a', 'ä', '_', '-', '007', '4294967295', 'é']) name;
       insert into feature_environments (feature_name, environment, enabled)
         select f.name, e.name, true from features f, environments e where f.project = 'unmatched' and f.name <> 'free' and length(f.name) = 1;
       insert into tags (type, value) values ('simple', 'T1'), ('simple', 't0'), ('team', 'a') on conflict do nothing;
       insert into feature_tag (feature_name, tag_type, tag_value)
         select f.name, t.type, t.value from features f, tags t where f.name in ('a', 'B')`,
    ),
  tearDown: (sides) =>
    onBoth(sides, `delete from features where project = 'unmatched' and name <> 'free'`),
  requests: [report('unmatched')],
};

export const healthScenarios = (): Scenario[] => [
  { title: '5 projects and paths', requests: projects },
  { title: '5.1 favourites', requests: favourites },
  builtInNames,
  emptyFigures,
  manyFeatures,
];
