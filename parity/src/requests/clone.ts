import { clonePath, type ParityRequest } from '../request.js';
import type { World } from '../world/world.js';
import { onBoth, type Scenario } from './scenario.js';

const JSON_TYPE = { 'content-type': 'application/json' };

const createCounter = () => {
  let count = 0;
  return () => `copy-${++count}`;
};

type CloneOptions = Partial<ParityRequest> & { name?: string; replaceGroupId?: unknown };

const createClone = () => {
  const nextName = createCounter();
  return (source: string, project = 'default', options: CloneOptions = {}): ParityRequest => {
    const { name = nextName(), replaceGroupId, ...more } = options;
    return {
      operation: 'clone',
      method: 'POST',
      path: clonePath(project, source),
      json: { name, ...(replaceGroupId !== undefined && { replaceGroupId }) },
      clone: { project, source, name },
      ...more,
    };
  };
};

type Clone = ReturnType<typeof createClone>;

const body = (json: unknown, more: Partial<ParityRequest> = {}): ParityRequest => ({
  operation: 'clone',
  method: 'POST',
  path: clonePath('default', 'plain-release'),
  json,
  ...more,
});

const rawBody = (
  text: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
): ParityRequest => ({
  operation: 'clone',
  method: 'POST',
  path: clonePath('default', 'plain-release'),
  body: text,
  headers,
});

const bodies: ParityRequest[] = [
  ...[
    {},
    { name: '' },
    { name: null },
    { name: 123456 },
    { name: true },
    { name: false },
    { name: 0 },
    { name: 1.5 },
    { name: -1 },
    { name: [] },
    { name: ['a'] },
    { name: {} },
    { Name: 'x' },
    { name: undefined },
  ].map((json) => body(json)),
  ...[true, false, 'true', 'false', 1, 0, null].map((replaceGroupId) =>
    body({ name: 'switched', replaceGroupId }),
  ),
  ...['yes', '', 'TRUE', 'False', 2, -1, '1', '0', [], {}, 0.5].map((replaceGroupId) =>
    body({ name: 'switched', replaceGroupId }),
  ),
  body({ name: [], replaceGroupId: [] }),
  body({ replaceGroupId: 'maybe' }),
  body({
    name: 'with-more',
    project: 'alpha',
    description: 'x',
    type: 'y',
    archived: true,
    __proto__: { a: 1 },
  }),
  ...[
    { environment: 'development' },
    { environment: 'staging' },
    { environmentId: 'live-eu' },
    { environmentId: 'production' },
    { environment: '' },
    { environment: 5 },
  ].flatMap((fields) =>
    ['adminToken', 'rootAdmin', 'editor', 'viewer'].map((caller) =>
      body({ name: 'with-environment', ...fields }, { caller }),
    ),
  ),
  ...[[], [{}], 'text', null, 5, true].map((json) => body(json)),
  rawBody(''),
  rawBody('{"name":"twice","name":"once"}'),
  rawBody('\ufeff{"name":"marked"}'),
  rawBody('{"name":"a'),
  rawBody(`{"name":"${'x'.repeat(102_391)}"}`),
  rawBody(`{"name":"${'x'.repeat(102_400)}"}`),
  rawBody('{"name":"half\\ud800"}'),
  rawBody('{"name":"nul\\u0000"}'),
  rawBody(Buffer.from([0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])),
  rawBody('name=from-a-form', { 'content-type': 'application/x-www-form-urlencoded' }),
  rawBody('name=from-a-form&replaceGroupId=false', {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
  }),
  rawBody('{"name":"as-text"}', { 'content-type': 'text/plain' }),
  rawBody('{"name":"untyped"}', {}),
  rawBody('{"name":"as-xml"}', { 'content-type': 'application/xml' }),
  rawBody('{"name":"as-hal"}', { 'content-type': 'application/hal+json' }),
  rawBody('{"name":"charset"}', { 'content-type': 'application/json; charset=latin1' }),
  rawBody('{"name":"with-charset"}', { 'content-type': 'Application/JSON; charset=UTF-8' }),
  { operation: 'clone', method: 'POST', path: clonePath('default', 'plain-release') },
];

const NAMES = [
  '.',
  '..',
  '...',
  '-',
  '_',
  '~',
  '!',
  '*',
  "'",
  '()',
  "a-_.!~*'()z",
  'a b',
  'a/b',
  'a%20b',
  'ä',
  '🙂',
  'a+b',
  'a&b',
  'a=b',
  'a?b',
  'a#b',
  'a:b',
  'a@b',
  'a$b',
  'a,b',
  'a;b',
  '[a]',
  '{a}',
  'a\\b',
  'a"b',
  '<a>',
  'a\tb',
  'a\nb',
  ' a',
  'a ',
  'x'.repeat(100),
  'x'.repeat(101),
  'ä'.repeat(101),
  'constructor',
  '__proto__',
  'null',
  '0',
  'RICH',
  'rich',
  'archived',
  'put-away',
  'Rich',
  'children',
  "'; drop table features; --",
];

const names = (clone: Clone): ParityRequest[] => [
  ...NAMES.map((name) => clone('plain-release', 'default', { name })),
  clone('ghost', 'default', { name: 'rich' }),
  clone('ghost', 'ghost', { name: 'a b' }),
  clone('ghost', 'guarded', { name: '' }),
  clone('ghost', 'ghost'),
  clone('plain-release', 'ghost'),
  clone('plain-release', 'ghost', { name: 'a b' }),
  clone('nulls', 'ghost'),
  clone('nulls', 'full'),
];

const paths = (clone: Clone): ParityRequest[] => [
  ...[
    'ghost',
    'archived',
    'RICH',
    'removed',
    '%',
    ' ',
    '*',
    "'",
    'x'.repeat(300),
    'constructor',
  ].map((source) => clone(source)),
  { ...clone('x'), path: '/api/admin/projects/default/features/%00/clone' },
  { ...clone('x'), path: '/api/admin/projects/%00/features/rich/clone' },
  { ...clone('x'), path: '/api/admin/projects/default/features/%zz/clone' },
  { ...clone('x'), path: '/api/admin/projects/%E4/features/rich/clone' },
  { ...clone('plain-release'), path: '/API/admin/Projects/default/Features/plain-release/CLONE/' },
  {
    ...clone('plain-release'),
    path: '//api/admin/projects//default/features/plain-release//clone',
  },
  {
    ...clone('plain-release'),
    path: '/api/admin/projects/default/features/plain%2Drelease/clone?name=other&x[]=1',
  },
  { ...clone('plain-release'), path: '/api/admin/projects/default/features//clone' },
  { ...clone('plain-release'), path: '/api/admin/projects/default/features/plain-release/clone/x' },
];

const targets = (clone: Clone): ParityRequest[] => [
  ...[
    'alpha',
    'beta',
    'delta',
    'private-one',
    'guarded',
    'guarded-elsewhere',
    'bare',
    'full',
    'emptied',
    'old',
    'unmatched',
    'either',
    'linked',
    'unlinkable',
    'linkless',
    'CamelCase',
    'odd id/ä',
    'ghost',
    'DEFAULT',
  ].flatMap((project) =>
    ['plain-release', 'rich', 'many-environments', 'child-on', 'team.one', 'team.three'].map(
      (source) => clone(source, project),
    ),
  ),
  ...[
    'team.copy',
    'Team.copy',
    'team-copy',
    'teamcopy',
    'a.b',
    'x.team.copy',
    'team.copy.',
    'team.COPY',
  ].map((name) => clone('plain-release', 'alpha', { name })),
  ...['aa-copy', 'copy-zz', 'aacopyzz', 'copy-aa', 'zz', 'zz-copy'].map((name) =>
    clone('plain-release', 'either', { name }),
  ),
  ...['x-copy', 'y-copy'].map((name) => clone('x-one', 'private-one', { name })),
  clone('in-old', 'default'),
  clone('in-no-project', 'default'),
  clone('in-ghost-project', 'delta'),
  clone('free', 'unmatched', { name: 'anything~goes' }),
  clone('team.one', 'alpha', { name: 'team.own' }),
  clone('team.three', 'alpha', { name: 'team.child' }),
];

const ORDINARY = [
  'rich',
  'edited',
  'plain-experiment',
  'plain-operational',
  'plain-kill-switch',
  'plain-permission',
  'odd-type',
  'no-description',
  '123',
  '7',
  'A-upper',
  'under_score',
  "all~of!them*that'fit(in).a-url_",
  `n${'x'.repeat(99)}`,
  'stale',
  'fresh-again',
  'revived',
  'completed',
  'reopened',
  'parent',
  'child-on',
  'child-off',
  'child-plain',
  'child-left',
  'beta-feature',
  'many-environments',
  'seen-everywhere',
  'ageless',
  'aged-release',
  'made-by-editor',
  'made-by-tricky',
];

const keptClones = (clone: Clone, { sources }: World): ParityRequest[] => [
  ...[...ORDINARY, ...sources.sound].map((source) => clone(source, 'default', { keep: true })),
  clone('rich', 'delta', { keep: true }),
  clone('rich', 'bare', { keep: true, replaceGroupId: false }),
  clone('many-environments', 'beta', { keep: true }),
  clone('rich', 'default', { keep: true, replaceGroupId: false, caller: 'editor' }),
  clone('flexible-bare', 'delta', { keep: true, replaceGroupId: false }),
  clone('flexible-some', 'emptied', { keep: true }),
];

const authors = (clone: Clone): ParityRequest[] =>
  [
    'rootAdmin',
    'editor',
    'owner',
    'member',
    'service',
    'nameless',
    'tricky',
    'otherAdminToken',
    'upperAdminToken',
    'legacyAdminToken',
    'alias',
    'inGroup',
    'inRootGroup',
  ].flatMap((caller) => [
    clone('child-on', 'default', { caller }),
    clone('sticky-empty', 'default', {
      caller,
      headers: { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' },
    }),
  ]);

const addresses = (clone: Clone): ParityRequest[] =>
  ['not-an-address', '', ',', ' , 1.2.3.4', '2001:db8::1', '1.2.3.4:5678', 'x'.repeat(400)].map(
    (address) => clone('plain-release', 'default', { headers: { 'x-forwarded-for': address } }),
  );

const full = (clone: Clone): Scenario => ({
  title: '7.4 limit of the installation',
  setUp: (sides) =>
    onBoth(
      sides,
      `insert into features (name, project) select 'filler-' || n, 'filler' from generate_series(1, 1000 - (select count(*) from features where archived_at is null)::int) n`,
    ),
  tearDown: (sides) => onBoth(sides, `delete from features where project = 'filler'`),
  requests: [
    clone('plain-release'),
    clone('plain-release', 'ghost'),
    clone('plain-release', 'full'),
    clone('plain-release', 'default', { name: 'rich' }),
    clone('ghost'),
    clone('nulls'),
  ],
});

const lastPlace = (clone: Clone): Scenario => ({
  title: '7.4 limit of the installation, one place left',
  setUp: (sides) =>
    onBoth(
      sides,
      `insert into features (name, project) select 'filler-' || n, 'filler' from generate_series(1, 999 - (select count(*) from features where archived_at is null)::int) n`,
    ),
  tearDown: (sides) => onBoth(sides, `delete from features where project = 'filler'`),
  requests: [clone('plain-release')],
});

const projectLimit = (clone: Clone): Scenario => ({
  title: '7.4 limit of a project',
  setUp: (sides) =>
    onBoth(
      sides,
      `update project_settings set feature_limit = (select count(*) from features where project = 'alpha' and archived_at is null) where project = 'alpha'`,
    ),
  tearDown: (sides) =>
    onBoth(sides, `update project_settings set feature_limit = 60 where project = 'alpha'`),
  requests: [
    clone('plain-release', 'alpha', { name: 'team.late' }),
    clone('plain-release', 'alpha', { name: 'late' }),
  ],
});

const projectLimitMissed = (clone: Clone): Scenario => ({
  ...projectLimit(clone),
  title: '7.4 limit of a project, one place left',
  setUp: (sides) =>
    onBoth(
      sides,
      `update project_settings set feature_limit = 1 + (select count(*) from features where project = 'alpha' and archived_at is null) where project = 'alpha'`,
    ),
  requests: [clone('plain-release', 'alpha', { name: 'team.last' })],
});

/** Variants of an environment without the name that every route requires. */
const namelessVariants = (clone: Clone): ParityRequest[] =>
  [[{ weight: 1000 }], [{ weight: 500 }, { name: 'b', weight: 500 }]].map((variants, index) => {
    const name = `nameless-variants-${index}`;
    const environments = [{ environment: 'development', variants }];
    return clone(name, 'default', { source: { name, environments } });
  });

export const cloneScenarios = (world: World): Scenario[] => {
  const clone = createClone();
  return [
    { title: '7.2 body', requests: bodies },
    { title: '7.4 names', requests: names(clone) },
    { title: '7.4 paths', requests: paths(clone) },
    { title: '7.1 target projects', requests: targets(clone) },
    {
      title: '7.4 source metadata',
      requests: [
        'nulls',
        'no-stale',
        'no-type',
        'no-impression',
        'typeless',
        'environmentless',
      ].map((source) => clone(source)),
    },
    {
      title: '7.7 guards',
      requests: [
        ...world.sources.broken.map((source) => clone(source)),
        clone(world.sources.severalFaults),
        ...['child-of-archived', 'grandchild', 'middle'].map((source) => clone(source)),
        clone('own-segment', 'delta'),
        clone('child-plain', 'delta'),
        clone('own-segment', 'guarded-elsewhere'),
        clone('turned-on', 'guarded-elsewhere'),
        clone('strategy-without-environment', 'guarded-elsewhere'),
      ],
    },
    { title: '7.5 variants without a name', requests: namelessVariants(clone) },
    { title: '7.6 authors', requests: authors(clone) },
    { title: '7.6 addresses', requests: addresses(clone) },
    full(clone),
    lastPlace(clone),
    projectLimit(clone),
    projectLimitMissed(clone),
    { title: '7.5 what is copied', requests: keptClones(clone, world) },
  ];
};
