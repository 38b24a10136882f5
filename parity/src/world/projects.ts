import type { Sql } from './sql.js';

const ENVIRONMENTS = [
  { name: 'staging', sort_order: 3, type: 'test' },
  { name: 'QA', sort_order: 3, type: 'preproduction' },
  { name: 'beta-env', sort_order: 3, type: 'development' },
  { name: 'live-eu', sort_order: 40, type: 'production' },
  { name: 'ámbito', sort_order: 3, type: 'test' },
].map((environment) => ({ ...environment, enabled: true, protected: false }));

/** Stored figures that are returned unchanged; null if the column is empty. */
const PROJECTS = [
  [
    'alpha',
    'Alpha',
    'Naming pattern and a limit',
    '2024-03-01T10:00:00.123',
    77,
    '2024-05-06T07:08:09.010Z',
  ],
  ['beta', 'Beta', null, '2024-04-01T00:00:00', null, null],
  [
    'delta',
    'Délta – ünïcode ✓',
    'line one\nline two',
    '2023-12-31T23:59:59.999',
    0,
    '2025-01-01T00:00:00Z',
  ],
  ['private-one', 'Private', '', '2024-06-01T00:00:00', 50, '2025-01-02T00:00:00Z'],
  ['guarded', 'Guarded', 'Change requests on', '2024-06-01T00:00:00', 100, '2025-01-03T00:00:00Z'],
  [
    'guarded-elsewhere',
    'Guarded elsewhere',
    'Change requests where the project is not',
    '2024-06-01T00:00:00',
    100,
    '2025-01-03T00:00:00Z',
  ],
  ['bare', 'Bare', 'No environments, no settings, no stats', null, 100, '2025-01-04T00:00:00Z'],
  ['full', 'Full', 'Limit reached', '2024-06-01T00:00:00', 100, '2025-01-05T00:00:00Z'],
  [
    'emptied',
    'Emptied',
    'Limit 0 and only archived features',
    '2024-06-01T00:00:00',
    100,
    '2025-01-05T00:00:00Z',
  ],
  ['old', 'Old', 'Archived project', '2022-06-01T00:00:00', 100, '2025-01-06T00:00:00Z'],
  [
    'unmatched',
    'Unmatched',
    'A pattern that is no regular expression',
    '2024-06-01T00:00:00',
    100,
    '2025-01-06T00:00:00Z',
  ],
  [
    'either',
    'Either',
    'A pattern with alternatives',
    '2024-06-01T00:00:00',
    100,
    '2025-01-06T00:00:00Z',
  ],
  [
    'CamelCase',
    'Camel',
    'Ids are case-sensitive',
    '2024-06-01T00:00:00',
    99,
    '2025-01-06T00:00:00Z',
  ],
  [
    'linked',
    'Linked',
    'Every new feature gets links, from 7.x on',
    '2024-06-01T00:00:00',
    99,
    '2025-01-06T00:00:00Z',
  ],
  [
    'unlinkable',
    'Unlinkable',
    'A link template that makes no URL, from 7.x on',
    '2024-06-01T00:00:00',
    99,
    '2025-01-06T00:00:00Z',
  ],
  [
    'linkless',
    'Linkless',
    'A link template without a URL, from 7.x on',
    '2024-06-01T00:00:00',
    99,
    '2025-01-06T00:00:00Z',
  ],
  [
    'odd id/ä',
    'Odd',
    'An id that must be encoded',
    '2024-06-01T00:00:00',
    99,
    '2025-01-06T00:00:00Z',
  ],
] as const;

const SETTINGS = [
  [
    'alpha',
    'userId',
    'protected',
    60,
    '[a-z]+\\.[a-z0-9-]+',
    'team.flag-1',
    'team, dot, name\nlower case only',
  ],
  ['delta', 'random', 'open', null, null, null, null],
  ['private-one', null, 'private', null, '^x-.*$', null, null],
  ['full', 'default', 'open', 1, null, null, null],
  ['emptied', '', 'open', 0, '', '', ''],
  ['old', 'default', 'open', null, null, null, null],
  ['unmatched', 'sessionId', 'open', null, '([a-z', 'abc', null],
  ['either', 'default', 'open', null, 'aa.*|.*zz', null, 'starts with aa or ends with zz'],
  ['linked', 'default', 'open', null, null, null, null],
  ['unlinkable', 'default', 'open', null, null, null, null],
  ['linkless', 'default', 'open', null, null, null, null],
] as const;

/** Link templates of projects; versions before 7.x have none. */
const LINK_TEMPLATES: Readonly<Record<string, readonly unknown[]>> = {
  delta: [{ title: 'Ticket', urlTemplate: 'https://tickets.example.com/{{project}}/{{feature}}' }],
  // More links than a user may add to one feature.
  linked: [
    {
      title: 'Both',
      urlTemplate: 'https://x.example.com/{{feature}}/{{project}}?again={{feature}}',
    },
    { title: 'No protocol', urlTemplate: 'www.Docs.example.co.uk/{{feature}}/' },
    { title: null, urlTemplate: 'http://localhost:8080/{{feature}}?z=1&a=2#top' },
    { urlTemplate: 'https://user:secret@example.org:443/?utm_source=x&id={{feature}}' },
    { title: '', urlTemplate: 'http://10.0.0.1/%7Euser/../{{feature}}' },
    { title: 'Mail', urlTemplate: 'mailto:team@example.com' },
    { title: 'Not a name', urlTemplate: 'https://example.com/{{ feature }}/{{FEATURE}}/{feature}' },
    { title: 'ünïcode ✓', urlTemplate: 'https://müller.example/ä?q={{feature}}' },
    { title: 'Plain', urlTemplate: 'https://example.com' },
    { title: 'Twice', urlTemplate: 'https://example.com/same' },
    { title: 'Twice', urlTemplate: 'https://example.com/same' },
    { title: 'Twelfth', urlTemplate: 'ftp://files.example.net/{{project}}' },
  ],
  // No route stores a template without a URL.
  linkless: [{ title: 'Without a URL' }],
  unlinkable: [
    { title: 'Fine', urlTemplate: 'https://example.com/{{feature}}' },
    { title: 'Broken', urlTemplate: 'no url for {{feature}}' },
  ],
};

const DEFAULT_STRATEGY = {
  name: 'flexibleRollout',
  title: 'default of alpha',
  disabled: false,
  constraints: [],
  parameters: { rollout: '50', stickiness: 'userId', groupId: '{{featureName}}' },
  segments: [],
  variants: [],
};

const LINKS: readonly [project: string, environments: readonly string[]][] = [
  ['default', ['staging']],
  ['beta', ['development']],
  ['delta', ['development', 'production', 'staging', 'QA', 'beta-env', 'live-eu', 'ámbito']],
  ['private-one', ['development', 'production']],
  ['guarded', ['development', 'production']],
  ['guarded-elsewhere', ['development']],
  ['full', ['development', 'production']],
  ['emptied', ['development']],
  ['old', ['development', 'production']],
  ['unmatched', ['development']],
  ['either', ['production']],
  ['CamelCase', ['development']],
  ['linked', ['development', 'production']],
  ['unlinkable', ['development']],
  ['linkless', ['development']],
  ['odd id/ä', ['development']],
];

const STATS = {
  avg_time_to_prod_current_window: 3.5,
  project_changes_current_window: 7,
  project_changes_past_window: 1,
  features_created_current_window: 4,
  features_created_past_window: 2,
  features_archived_current_window: 1,
  features_archived_past_window: 0,
  project_members_added_current_window: 2,
};

/** Inserts projects and environments of every kind; the open source edition has no route to create them. */
export const fillProjects = async (sql: Sql): Promise<void> => {
  await sql.insert('environments', ENVIRONMENTS);
  await sql.insert(
    'projects',
    PROJECTS.map(([id, name, description, created_at, health, updated_at]) => ({
      id,
      name,
      description,
      created_at,
      health,
      updated_at,
    })),
  );
  await sql.query(`update projects set archived_at = '2025-02-02T02:02:02Z' where id = 'old'`);
  await sql.insert(
    'project_settings',
    SETTINGS.map(([project, stickiness, mode, limit, pattern, example, description]) => ({
      project,
      default_stickiness: stickiness,
      project_mode: mode,
      feature_limit: limit,
      feature_naming_pattern: pattern,
      feature_naming_example: example,
      feature_naming_description: description,
      ...(LINK_TEMPLATES[project] && { link_templates: LINK_TEMPLATES[project] }),
    })),
  );
  await sql.insert('project_environments', [
    ...LINKS.flatMap(([project_id, names]) =>
      names.map((environment_name) => ({ project_id, environment_name, default_strategy: null })),
    ),
    { project_id: 'alpha', environment_name: 'development', default_strategy: null },
    { project_id: 'alpha', environment_name: 'production', default_strategy: DEFAULT_STRATEGY },
  ]);
  await sql.insert('change_request_settings', [
    { project: 'guarded', environment: 'production', required_approvals: 2 },
    { project: 'guarded-elsewhere', environment: 'production', required_approvals: 1 },
  ]);
  await sql.insert('project_stats', [
    { project: 'alpha', ...STATS },
    { project: 'delta', ...STATS, avg_time_to_prod_current_window: 0.25 },
  ]);
  await sql.query(
    `update projects set health = 83, updated_at = '2025-03-04T05:06:07.089Z' where id = 'default'`,
  );
};

export const PROJECT_IDS = ['default', ...PROJECTS.map(([id]) => id)];
