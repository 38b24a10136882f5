import type { ParityRequest } from '../request.js';
import type { World } from '../world/world.js';
import { onBoth, query, type Scenario } from './scenario.js';

const PATH = '/api/admin/search/events';

const search = (
  params: Record<string, string | number>,
  more: Partial<ParityRequest> = {},
): ParityRequest => ({
  operation: 'search events',
  path: `${PATH}?${query(params)}`,
  ...more,
});

/** Sends the query string unchanged. */
const raw = (text: string, more: Partial<ParityRequest> = {}): ParityRequest => ({
  operation: 'search events',
  path: `${PATH}?${text}`,
  ...more,
});

const parameters: ParityRequest[] = [
  { operation: 'search events', path: PATH },
  raw(''),
  ...['query', 'feature', 'project', 'type', 'createdBy', 'from', 'to', 'offset', 'limit'].flatMap(
    (name) => [
      raw(`${name}=`),
      raw(name),
      raw(`${name}=a&${name}=b`),
      raw(`${name}[]=a`),
      raw(`${name}[x]=a`),
    ],
  ),
  search({ unknown: 'x', another: '1', groupType: 'IS:transaction', sortBy: 'id' }),
  raw('__proto__[a]=1&constructor=2'),
  // The error for the parameter that is listed first is the one reported.
  search({ to: 'x', from: 'x', createdBy: 'x', type: 'x', project: 'x', feature: 'x' }),
  search({ to: 'x', limit: '1' }),
  raw('limit[]=1&feature=bad&offset[]=2'),
];

const operators: ParityRequest[] = [
  ...[
    'is:rich',
    ' IS:rich',
    'rich',
    'IS_NOT:rich',
    'IS_NONE_OF:rich',
    'IS',
    'IS_ANY_OF',
    'IS rich',
    ':rich',
    'IS_ANY_OF;rich',
  ].map((value) => search({ feature: value })),
  ...[
    'IS:rich',
    'IS_ANY_OF:rich',
    'IS:rich,edited',
    'IS_ANY_OF:rich,edited',
    'IS: rich , edited ',
    'IS:',
    'IS_ANY_OF:',
    'IS:,',
    'IS:rich,',
    'IS:,rich',
    'IS:RICH',
    'IS:null',
    'IS:no-such',
    'IS:a:b',
    'IS:*',
    'IS:ri%',
    'IS:with,comma',
    "IS:'quote",
    'IS:"x"',
    'IS:\\',
    'IS: ',
    'IS:rich\trich',
    'IS:🙂',
    'IS_ANY_OF:rich,rich,rich',
  ].map((value) => search({ feature: value })),
  ...['\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'].map((character) =>
    search({ feature: `IS:a${character}b` }),
  ),
  ...[
    'IS:default',
    'IS:alpha',
    'IS_ANY_OF:alpha,beta',
    'IS:default,alpha',
    'IS:*',
    'IS:Default',
    'IS:',
    'IS:ghost',
    'IS:with,comma',
    'IS:,',
  ].map((value) => search({ project: value })),
  ...[
    'IS:feature-created',
    'IS_ANY_OF:feature-created,feature-archived',
    'IS:no-such-type',
    'IS:FEATURE-CREATED',
    'IS:a-type-nobody-knows',
    'IS:scim-users-deleted',
    'IS:',
    'IS_ANY_OF:project-updated,exact,tag-odd',
    'IS:has space,and comma',
  ].map((value) => search({ type: value, limit: 1000 })),
  ...[
    'IS:1',
    'IS_ANY_OF:1,2,3',
    'IS:-42',
    'IS:-1337',
    'IS: 1 , 2 ',
    'IS:+1',
    'IS:-0',
    'IS:007',
    'IS:',
    'IS:2147483647',
    'IS:-2147483648',
    'IS:999',
  ].map((value) => search({ createdBy: value })),
  ...[
    'IS:admin',
    'IS:99999999999',
    'IS:2147483648',
    'IS:3,',
    'IS:,3',
    'IS:1.5',
    'IS:1e1',
    'IS:0x1',
    'IS:1 2',
    'IS:null',
    'IS:NaN',
    'IS:１',
  ].map((value) => search({ createdBy: value })),
  search({ createdBy: 'IS:admin', from: 'IS:2024-02-01', type: 'IS:feature-created' }),
  search({ createdBy: 'IS:admin', to: 'soon' }),
];

const paging: ParityRequest[] = [
  ...[
    '0',
    '1',
    '2',
    '-1',
    'abc',
    '',
    '49',
    '50',
    '51',
    '100',
    '999',
    '1000',
    '1001',
    '5000',
    '1000.5',
    '999.9',
    '0.5',
    '2.9',
    '0.0000001',
    '1e1',
    '1e3',
    '1e4',
    '0x5',
    '0b11',
    '0o7',
    ' 5 ',
    '+5',
    'Infinity',
    '-Infinity',
    'NaN',
    '1_000',
    '5,',
    '٥',
    'null',
    'true',
    '1e-400',
    '1e400',
  ].map((limit) => search({ limit })),
  ...[
    '0',
    '1',
    '10',
    '-1',
    'abc',
    '',
    '1.9',
    '0.5',
    '1e1',
    '1e30',
    'Infinity',
    '0x10',
    '100',
    '400',
    '5000',
    '2147483648',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '100000000000000000000',
    '1e21',
    '0.0000001',
    ' 3 ',
  ].map((offset) => search({ offset, limit: 5 })),
  search({ offset: '9223372036854775808' }),
  search({ offset: 3, limit: 2, project: 'IS:beta' }),
  ...[0, 5, 10, 15, 20].map((offset) =>
    search({ project: 'IS:beta', type: 'IS:project-updated', limit: 5, offset }),
  ),
  ...[0, 1, 2, 3, 4].map((offset) =>
    search({ project: 'IS:beta', type: 'IS:feature-created', limit: 1, offset }),
  ),
];

const dates: ParityRequest[] = [
  ...[
    '2024-02-29',
    '2024-02-28',
    '2024-03-01',
    '2024-02-01',
    '2023-12-31',
    '0001-01-01',
    '9999-12-31',
    '2099-01-01',
  ].flatMap((day) => [
    search({ from: `IS:${day}`, limit: 1000 }),
    search({ to: `IS:${day}`, limit: 1000 }),
    search({ from: `IS:${day}`, to: `IS:${day}`, limit: 1000 }),
  ]),
  search({ from: 'IS:2024-03-01', to: 'IS:2024-02-01' }),
  search({ from: 'IS:2024-02-29', to: 'IS:2024-02-29', project: 'IS:beta' }),
  ...[
    '2024-02-30',
    '2023-02-29',
    '2024-04-31',
    '2024-13-45',
    '2024-00-10',
    '2024-01-00',
    '0000-01-01',
    '0000-12-31',
    '2024-02-32',
    '9999-13-01',
  ].flatMap((day) => [search({ from: `IS:${day}` }), search({ to: `IS:${day}` })]),
  ...[
    '2024-02-29',
    'IS_ANY_OF:2024-02-29',
    'is:2024-02-29',
    'IS:2024-2-9',
    'IS:2024-02-29T00:00:00Z',
    'IS: 2024-02-29',
    'IS:20240229',
    'IS:tomorrow',
    'IS:',
    'IS:-2024-02-29',
    'IS:12024-02-29',
    'IS:2024-02-29\n',
    'IS:٢٠٢٤-٠٢-٢٩',
  ].flatMap((value) => [search({ from: value }), search({ to: value })]),
];

const freeText: ParityRequest[] = [
  ...[
    'needle',
    'NEEDLE',
    'nEEdle',
    'größe',
    'GRÖSSE',
    'äö',
    'payments',
    '"name":"rich"',
    '"name": "rich"',
    '"a": "needle before"',
    'cards, and',
    ' ',
    ',',
    'rich,edited',
    'no such text anywhere',
    '{}',
    '[]',
    '"',
    "'",
    ':',
    '{"n":3}',
    '\u00e4',
    '😀',
    '\\u00e4',
    'history',
    '10.1.2.3',
    'production',
    'feature-created',
    '12345678901234567890',
    'null',
    'x'.repeat(2_999),
    'x'.repeat(3_001),
  ].map((text) => search({ query: text, limit: 1000 })),
  ...[
    '%',
    '_',
    '\\',
    '\\\\',
    '\\%',
    '100%',
    'under_score',
    'r_ch',
    'needle%with_wild',
    'a%b',
    '\\x',
    'wild\\cards',
    '%%%',
    '___',
  ].map((text) => search({ query: text, limit: 1000 })),
  search({ query: 'needle', project: 'IS:default', type: 'IS:a-type-nobody-knows' }),
  search({ query: 'rich', feature: 'IS:rich', from: 'IS:2024-01-01', limit: 3, offset: 2 }),
  search({ query: 'needle' }, { caller: 'viewer' }),
  raw('query=a+b'),
  raw('query=%E4'),
  raw('query=%'),
  raw('query=%zz&limit=3'),
  raw('query=a%00b'),
  raw('feature=IS:a%00b'),
  raw('project=IS:%00'),
  raw('type=IS:%00'),
  raw('query=%ED%A0%80'),
];

const LONG = 10_001;

const limits: ParityRequest[] = [
  search({ feature: `IS:${'x'.repeat(LONG)}` }),
  search({ project: `IS_ANY_OF:${'x,'.repeat(LONG / 2)}` }),
  search({ query: 'x'.repeat(9_000) }),
  search({ type: `IS:${'y'.repeat(9_000)}` }),
];

const combined: ParityRequest[] = [
  search({
    feature: 'IS:rich',
    project: 'IS:default',
    type: 'IS:feature-strategy-update',
    createdBy: 'IS:-42,-1337',
  }),
  search({ feature: 'IS:rich', project: 'IS:alpha' }),
  search({ feature: 'IS:', project: 'IS:', type: 'IS:', createdBy: 'IS:', limit: 1000 }),
  search({
    project: 'IS:default',
    from: 'IS:2024-02-01',
    to: 'IS:2024-02-01',
    query: 'strategy',
    limit: 7,
    offset: 1,
  }),
];

/** Filters that versions before 7.x ignore. */
const newerFilters: ParityRequest[] = [
  ...['id', 'groupId', 'environment'].flatMap((name) => [
    raw(`${name}=`),
    raw(`${name}=a&${name}=b`),
    raw(`${name}[]=a`),
    search({ [name]: 'bare' }),
    search({ [name]: 'IS:', limit: 1000 }),
    search({ [name]: 'IS:no-such' }),
    search({ [name]: 'IS_NOT:1' }),
    search({ [name]: `IS:${'1'.repeat(LONG)}` }),
    search({ [name]: 'x', feature: 'x', query: 'needle' }),
    search({ [name]: 'x', createdBy: 'x' }),
  ]),
  ...[
    'IS:5',
    'IS:5,6',
    'IS_ANY_OF:5, 7 ,9',
    'IS_ANY_OF:5,5',
    'IS:0',
    'IS:-1',
    'IS:+5',
    'IS:005',
    'IS:2147483647',
    'IS:2147483648',
    'IS:1.5',
    'IS:0x5',
    'IS:5,',
    'IS: ',
  ].map((id) => search({ id, limit: 1000 })),
  search({ id: 'IS_ANY_OF:1,2,3,4,5,6,7,8,9', type: 'IS:feature-created' }),
  search({ id: 'IS_ANY_OF:1,2,3,4,5,6,7,8,9', query: 'name', limit: 2, offset: 1 }),
  ...['viewer', 'rootAdmin'].map((caller) =>
    search({ id: 'IS_ANY_OF:1,2,3,4,5,6,7,8,9,10,11,12' }, { caller }),
  ),
  ...['IS:production', 'IS_ANY_OF:production,development', 'IS:PRODUCTION', 'IS:,'].map(
    (environment) => search({ environment, limit: 1000 }),
  ),
];

const GROUPED = ['group-one', 'group-two', ''];

/** Grouped events, if the version has them. */
const groups: Scenario = {
  title: '4.9 groups of events',
  setUp: (sides) =>
    onBoth(
      sides,
      `do $$ begin
        if exists (select from pg_attribute where attrelid = 'events'::regclass and attname = 'group_id') then
          insert into events (id, type, created_by, data, project, announced, created_at, group_type, group_id)
          select 900000 + n, 'feature-created', 'grouped', '{}', case when n % 2 = 0 then 'default' end, true,
            '2024-05-05T00:00:00Z'::timestamptz + n * interval '1 second',
            (array['transaction', 'change-request', '', null])[n % 4 + 1],
            (array['group-one', 'group-two', '', null])[n % 5 + 1]
          from generate_series(1, 40) n;
        end if;
      end $$`,
    ),
  tearDown: (sides) => onBoth(sides, 'delete from events where id >= 900000'),
  requests: [
    ...['adminToken', 'viewer'].flatMap((caller) => [
      ...GROUPED.map((id) => search({ groupId: `IS:${id}`, limit: 1000 }, { caller })),
      search({ groupId: `IS_ANY_OF:${GROUPED.join()}`, limit: 7, offset: 3 }, { caller }),
      search({ groupId: 'IS:group-one', type: 'IS:feature-created', query: '{}' }, { caller }),
      search({ from: 'IS:2024-05-05', to: 'IS:2024-05-05', limit: 1000 }, { caller }),
    ]),
    search({ groupId: 'IS:GROUP-ONE' }),
    search({ id: 'IS_ANY_OF:900001,900002,900003,900004,900005' }),
  ],
};

/** Each event type on its own, so that each is compared on the first page. */
const everyType = (types: readonly string[]): ParityRequest[] =>
  types.map((type) => search({ type: `IS:${type}`, limit: 200 }));

const viewers = [
  'viewer',
  'noRole',
  'inRootGroup',
  'admiN',
  'strangeToken',
  'service',
  'customRoot',
  'editor',
];

const visibility: ParityRequest[] = viewers.flatMap((caller) => [
  search({ limit: 1000 }, { caller }),
  search({ type: 'IS:user-created' }, { caller }),
  search({ project: 'IS:private-one' }, { caller }),
  search({ project: 'IS:', query: 'name' }, { caller }),
]);

const ODD_EVENTS: readonly [name: string, event: string][] = [
  ['odd-1', `'feature-strategy-update', 'odd', '{"name":"userWithId"}', '{"name":"userWithId"}'`],
  [
    'odd-2',
    `'feature-strategy-update', 'odd', '{"name":"userWithId","parameters":{}}', '{"name":"userWithId","parameters":{"userIds":"a"}}'`,
  ],
  [
    'odd-3',
    `'feature-strategy-update', 'odd', '{"name":"default","constraints":null}', '{"name":"default","constraints":[]}'`,
  ],
  [
    'odd-4',
    `'feature-strategy-update', 'odd', '{"name":"default","segments":null}', '{"name":"default"}'`,
  ],
  ['odd-5', `'constructor', 'odd', '{}', '{}'`],
  ['odd-6', `'project-updated', 'an author {{#event}}', '{}', '{}'`],
  ['odd-7', `'toString', 'odd', '{}', '{}'`],
];

const oddPayloads: Scenario = {
  title: '4.9 payloads that break upstream',
  setUp: (sides) =>
    onBoth(
      sides,
      ODD_EVENTS.map(
        ([name, event], index) =>
          `insert into events (id, type, created_by, data, pre_data, feature_name, project, announced, created_at)
           values (${900_000 + index}, ${event}, '${name}', 'default', true, '2024-05-05T00:00:00Z')`,
      ).join(';'),
    ),
  tearDown: (sides) => onBoth(sides, 'delete from events where id >= 900000'),
  requests: [
    ...ODD_EVENTS.map(([name]) => search({ feature: `IS:${name}` })),
    search({ from: 'IS:2024-05-05', to: 'IS:2024-05-05' }),
  ],
};

const NO_INDEX_TYPE = 'exact';

export const searchScenarios = (world: World): Scenario[] => [
  { title: '4.1 parameters', requests: parameters },
  { title: '4.2 operator values', requests: operators },
  { title: '4.3 limit and offset', requests: paging },
  { title: '4.4 dates', requests: dates },
  { title: '4.5 free text', requests: [...freeText, ...limits] },
  { title: '4.1 filters of newer versions', requests: newerFilters },
  groups,
  { title: '4.6 who sees what', requests: visibility },
  { title: '4.7 order and total', requests: combined },
  { title: '4.8 every type', requests: everyType([...world.eventTypes, NO_INDEX_TYPE]) },
  oddPayloads,
];
