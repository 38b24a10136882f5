import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { clonePath, type Operation, type ParityRequest } from '../request.js';
import type { Scenario } from './scenario.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const PATHS: Record<Operation, string> = {
  'search events': '/api/admin/search/events?limit=1&type=IS:exact',
  'health report': '/api/admin/projects/beta/health-report',
  'integration events': '/api/admin/addons/2/events?limit=1',
  clone: clonePath('default', 'plain-release'),
};
const READS = ['search events', 'health report', 'integration events'] as const;

const methods: ParityRequest[] = (Object.keys(PATHS) as Operation[]).flatMap((operation) =>
  ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): ParityRequest[] =>
    operation === 'clone' && method === 'POST'
      ? []
      : [{ operation, method, path: PATHS[operation] }],
  ),
);

const unauthorised: ParityRequest[] = (Object.keys(PATHS) as Operation[]).flatMap((operation) =>
  ['HEAD', 'OPTIONS'].map(
    (method): ParityRequest => ({ operation, method, path: PATHS[operation], caller: 'nobody' }),
  ),
);

const routing: ParityRequest[] = [
  '/api/admin/search/events/',
  '/api/admin/search/events//',
  '/API/ADMIN/SEARCH/EVENTS',
  '//api/admin//search///events',
  '/api/admin/search',
  '/api/admin/search/events/1',
  '/api/admin/search/Events?limit=1',
  '/api/admin/searchevents',
  '/api/admin/search/events%2F',
  '/api/admin/search%2Fevents',
  '/api/admin/search/event%73',
  '/api/admin/search/events;x=1',
  '/api/admin/%zz',
  '/api/admin/nowhere',
  '/api/nowhere',
  '/api/admin/search/events?',
  '/api/admin/search/events??limit=1',
  '/api/admin/search/events?limit=1#x',
  '/api/admin/./search/events',
  '/api/admin/x/../search/events',
  '/api/admin/search/events.json',
].map((path): ParityRequest => ({ operation: 'search events', path }));

const get = (
  body: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
  operation: Operation = 'search events',
): ParityRequest => ({
  operation,
  path: PATHS[operation],
  body,
  headers,
});

const MALFORMED = [
  '{',
  '}',
  '{a}',
  "{'a':1}",
  '[1,]',
  '{"a":1}x',
  'tru',
  'undefined',
  '"',
  '\u0000',
  '{"a":1',
  ' ',
  '\n',
  '01',
  '1.',
  '+1',
  'NaN',
  '{"a":"\n"}',
  '//',
  '\ufeff',
];

const bodies: ParityRequest[] = [
  ...MALFORMED.map((body) => get(body)),
  ...[
    '{}',
    '[]',
    'null',
    '"x"',
    '5',
    'true',
    '{"a":{"b":[1]}}',
    '\ufeff{}',
    ' {} ',
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    `{"a":${'['.repeat(101)}${']'.repeat(101)}}`,
    `{"a":[${'1,'.repeat(5_001)}1]}`,
  ].map((body) => get(body)),
  ...READS.flatMap((operation) => [
    get('[]', JSON_TYPE, operation),
    get('{"x":1}', JSON_TYPE, operation),
    get('{', JSON_TYPE, operation),
  ]),
  get(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  get('', JSON_TYPE),
  get('{', { 'content-type': 'text/plain' }),
  get('{', { 'content-type': 'application/json-patch+json' }),
  get('{', {}),
  get('[]', { 'content-type': 'application/json; charset=utf-8; x=y' }),
  get('[]', { 'content-type': 'APPLICATION/JSON' }),
  get('[]', { 'content-type': 'application/json;' }),
  get('[]', { 'content-type': 'application/json, text/plain' }),
  get('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
];

const charsets: ParityRequest[] = [
  ...[
    'latin1',
    'iso-8859-1',
    'us-ascii',
    'utf8',
    'windows-1252',
    'x-unknown',
    'UTF-8',
    '"utf-8"',
    'utf-7',
    'utf-32',
    'utf-16be',
  ].map((charset) => get('{}', { 'content-type': `application/json; charset=${charset}` })),
  get(Buffer.from('[]', 'utf16le'), { 'content-type': 'application/json; charset=utf-16le' }),
  get(Buffer.from('{}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }),
];

const encoded = (encoding: string, bytes: Buffer, operation: Operation = 'search events') =>
  get(bytes, { ...JSON_TYPE, 'content-encoding': encoding }, operation);

const LIMIT = 102_400;
const sized = (size: number) => `{"x":"${'y'.repeat(size - 8)}"}`;

const encodings: ParityRequest[] = [
  encoded('gzip', gzipSync('[]')),
  encoded('GZIP', gzipSync('{}')),
  encoded('deflate', deflateSync('[]')),
  encoded('deflate', deflateRawSync('[]')),
  encoded('br', brotliCompressSync('{}')),
  encoded('identity', Buffer.from('[]')),
  encoded('gzip, deflate', Buffer.from('{}')),
  encoded('snappy', Buffer.from('{}')),
  encoded('gzip', Buffer.from('{}')),
  encoded('gzip', gzipSync('{}').subarray(0, 10)),
  encoded('', Buffer.from('[]')),
  encoded('gzip', Buffer.alloc(0)),
  encoded('gzip', gzipSync(sized(LIMIT))),
  encoded('gzip', gzipSync(sized(LIMIT + 1))),
  get(sized(LIMIT)),
  get(sized(LIMIT + 1)),
  get(`[${' '.repeat(LIMIT)}]`),
  { ...get(sized(LIMIT + 1)), caller: 'nobody' },
  get(sized(LIMIT + 1), { 'content-type': 'text/plain' }),
];

const responses: ParityRequest[] = [
  ...['gzip', 'br', 'deflate', 'identity', '*', 'gzip;q=0', 'gzip, br'].map(
    (encoding): ParityRequest => ({
      operation: 'search events',
      path: '/api/admin/search/events?limit=100&project=IS:beta&type=IS:feature-created',
      headers: { 'accept-encoding': encoding },
    }),
  ),
  ...['text/html', 'application/xml', '*/*'].map(
    (accept): ParityRequest => ({
      operation: 'health report',
      path: PATHS['health report'],
      headers: { accept },
    }),
  ),
  ...['"nonsense"', '*', 'W/"x"'].map(
    (tag): ParityRequest => ({
      operation: 'integration events',
      path: PATHS['integration events'],
      headers: { 'if-none-match': tag },
    }),
  ),
  {
    operation: 'search events',
    path: PATHS['search events'],
    headers: { origin: 'http://elsewhere.example' },
  },
  {
    operation: 'search events',
    path: '/api/admin/search/events?feature=IS:rich&limit=2',
    headers: { 'x-forwarded-for': '1.2.3.4' },
  },
];

export const transportScenarios = (): Scenario[] => [
  { title: '2.2 methods', requests: [...methods, ...unauthorised] },
  { title: '2.2 routing', requests: routing },
  { title: '2.3 bodies', requests: bodies },
  { title: '2.3 charsets', requests: charsets },
  { title: '2.3 encodings and sizes', requests: encodings },
  { title: '2.4 answers', requests: responses },
];
