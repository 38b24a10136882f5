import type { ParityRequest } from '../request.js';
import type { World } from '../world/world.js';
import { query, type Scenario } from './scenario.js';

const list = (
  id: string | number,
  params: Record<string, string | number> = {},
  more: Partial<ParityRequest> = {},
): ParityRequest => ({
  operation: 'integration events',
  path: `/api/admin/addons/${id}/events${Object.keys(params).length > 0 ? `?${query(params)}` : ''}`,
  ...more,
});

const ids: ParityRequest[] = [
  ...[
    'abc',
    '1abc',
    'NaN',
    'null',
    'undefined',
    '1,2',
    'a%20b',
    '%00',
    '-',
    '+',
    '1.2.3',
    '0x',
    '1_0',
    'true',
    '%C2%A0x',
  ].map((id) => list(id)),
  ...[
    '1.5',
    '1.0',
    '0x1',
    '1e0',
    'Infinity',
    '-Infinity',
    '%20',
    '99999999999',
    '2147483648',
    '-2147483649',
    '%09',
    '0b1',
    '.5',
    '1e400',
  ].map((id) => list(id)),
  ...[
    '%201',
    '1%20',
    '%2B1',
    '01',
    '-0',
    '2147483647',
    '0',
    '-1',
    '999',
    '-2147483648',
    '%091',
  ].map((id) => list(id)),
  ...['%zz', '%E4', '1%2F', '%ef%bc%91'].map((id) => list(id)),
  { operation: 'integration events', path: '/api/admin/addons//events' },
  { operation: 'integration events', path: '/api/admin/addons/1/events/' },
  { operation: 'integration events', path: '/API/ADMIN/ADDONS/1/EVENTS' },
  { operation: 'integration events', path: '/api/admin//addons/1//events' },
];

const paging: ParityRequest[] = [
  ...[
    '0',
    '1',
    '-1',
    'abc',
    '',
    '50',
    '99',
    '100',
    '101',
    '1000',
    '100.5',
    '0.5',
    '2.9',
    '0.0000001',
    '1e1',
    '0x5',
    'Infinity',
    ' 7 ',
  ].map((limit) => list(1, { limit })),
  ...[
    '0',
    '1',
    '10',
    '-1',
    'abc',
    '',
    '1.9',
    '0.5',
    '1e30',
    'Infinity',
    '150',
    '1000',
    '9223372036854775807',
  ].map((offset) => list(1, { offset, limit: 3 })),
  ...['9223372036854775808', '100000000000000000000'].map((offset) => list(1, { offset })),
  list(999, { offset: '9223372036854775808' }),
  list(1, { limit: 100, offset: 100 }),
  ...[
    'limit[]=1',
    'limit=1&limit=2',
    'offset[x]=1',
    'offset=1&offset=2',
    'limit',
    'unknown=1',
    'limit=%00',
  ].map(
    (text): ParityRequest => ({
      operation: 'integration events',
      path: `/api/admin/addons/1/events?${text}`,
    }),
  ),
];

const bodies: ParityRequest[] = [
  ...[
    {},
    { project: 'default' },
    { project: 'alpha' },
    { projectId: 'alpha' },
    { environment: 'staging' },
    { environmentId: 'production' },
    { project: null },
    { project: '' },
  ].flatMap((json) =>
    ['adminToken', 'rootAdmin', 'inRootGroup', 'editor'].map((caller) =>
      list(1, { limit: 2 }, { json, caller }),
    ),
  ),
  ...[[], 'text', null, 5, true].map((json) => list(1, { limit: 2 }, { json })),
  list(
    1,
    { limit: 2 },
    {
      body: 'project=alpha',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      caller: 'rootAdmin',
    },
  ),
];

export const integrationScenarios = ({ integrationIds }: World): Scenario[] => [
  {
    title: '6.2 what was delivered',
    requests: integrationIds.map((id) => list(id, { limit: 100 })),
  },
  { title: '6.1 ids', requests: ids },
  { title: '6.1 limit and offset', requests: paging },
  { title: '6 bodies of a GET', requests: bodies },
];
