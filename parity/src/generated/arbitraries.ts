import fc from 'fast-check';
import { type Operation, type ParityRequest, clonePath } from '../request.js';
import { PROJECT_IDS } from '../world/projects.js';
import type { World } from '../world/world.js';
import { createSources } from './sources.js';

const COPY = 'generated-copy';

/** Excluded: a user that upstream can't load as an author, and tokens that upstream caches. */
const UNFIT = ['badEmail', 'revokedToken', 'lateToken', 'latePersonal', 'lateBearer'];

const NUMBERS = [
  '0', '1', '2', '10', '50', '100', '101', '1000', '1001', '-1', '1.5', '0.5', '2.9', '1e1', '1e-7', '1e30', '0x5', '0b1', 'Infinity', '-Infinity', 'NaN', '',
  ' ', ' 7 ', 'abc', '9223372036854775807', '9223372036854775808', '1e21', '2147483647', '2147483648', '+3', '٣', '1_0', 'null',
];

const DAYS = [
  '2024-02-01', '2024-02-02', '2024-02-28', '2024-02-29', '2024-03-01', '2023-02-29', '2024-02-30', '2024-13-01', '2024-00-00', '0001-01-01', '0000-01-01',
  '9999-12-31', '2026-01-01', '2030-06-15',
];

const TEXTS = ['needle', 'NEEDLE', 'rich', 'name', '"', '%', '_', '\\', 'strategy', 'x', ' ', ',', 'Größe', '"name":"rich"', '"name": "', '{}', 'null', '1', 'team', 'payments', '100%', '\\%', '😀'];

const oddText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', '\0', '\n', '\u2028', 'a,b', 'IS:', '😀', '\ud800', '..', '%', "'", '"', '\\'),
);

/** Percent-encodes any text, including what encodeURIComponent rejects. */
const encode = (text: string) => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};

const filterOf = (values: readonly string[]) => {
  const value = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: oddText });
  const list = fc.array(value, { minLength: 0, maxLength: 4 }).map((items) => items.join(','));
  return fc.oneof(
    { weight: 12, arbitrary: fc.tuple(fc.constantFrom('IS:', 'IS_ANY_OF:'), list).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('is:', '', 'IS_NOT:', ' IS:', 'IS'), list).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: oddText },
  );
};

const dayFilter = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...DAYS).map((day) => `IS:${day}`) },
  { weight: 2, arbitrary: fc.date({ min: new Date('2024-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }).map((date) => `IS:${date.toISOString().slice(0, 10)}`) },
  { weight: 1, arbitrary: fc.oneof(oddText, fc.constantFrom('2024-02-01', 'IS_ANY_OF:2024-02-01', 'IS:2024-2-1')) },
);

const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }).map(String) },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 1, arbitrary: fc.oneof(fc.double().map(String), fc.maxSafeInteger().map(String), oddText) },
);

/** Spellings of one parameter. */
const writing = fc.oneof(
  { weight: 40, arbitrary: fc.constant((name: string, value: string) => `${name}=${encode(value)}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (name: string, value: string) => `${name}[]=${encode(value)}`,
      (name: string, value: string) => `${name}=${encode(value)}&${name}=${encode(value)}`,
      (name: string, value: string) => `${name}[x]=${encode(value)}`,
      (name: string) => name,
      (name: string, value: string) => `${name}=${value.replaceAll(/[^\x21-\x7e]|[#?&]/g, '')}`,
    ),
  },
);

const queryString = (params: Record<string, fc.Arbitrary<string>>, chance: number) =>
  fc
    .tuple(
      ...Object.entries(params).map(([name, value]) =>
        fc.option(fc.tuple(fc.constant(name), value, writing), { freq: chance, nil: null }),
      ),
    )
    .map((parts) => parts.flatMap((part) => (part ? [part[2](part[0], part[1])] : [])))
    .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
    .map((parts) => (parts.length > 0 ? `?${parts.join('&')}` : ''));

/** Equivalent spellings of a path. */
const pathWriting = fc.oneof(
  { weight: 25, arbitrary: fc.constant((path: string) => path) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (path: string) => `${path}/`,
      (path: string) => path.replace('/api/admin/', '/API/Admin/'),
      (path: string) => path.replaceAll('/', '//'),
      (path: string) => path.replace('/admin/', '/%61dmin/'),
      (path: string) => `${path}x`,
      (path: string) => path.replace(/\/[^/]*$/, ''),
    ),
  },
);

const FURTHER_HEADERS: readonly Record<string, string>[] = [
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br, gzip;q=0.5' },
  { accept: 'text/html' },
  { 'x-forwarded-for': '198.51.100.7, 10.0.0.1' },
  { 'if-none-match': '"x"' },
  { 'cache-control': 'no-cache' },
  { origin: 'http://elsewhere.example' },
  { 'content-type': 'application/json' },
];

const headers = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Record<string, string>>({}) },
  { weight: 1, arbitrary: fc.constantFrom(...FURTHER_HEADERS) },
);

const CONTENT_TYPES = ['application/json', 'application/json; charset=utf-8', 'application/json; charset=latin1', 'text/plain', 'application/x-www-form-urlencoded'];

/** Some GET requests have a body. */
const readBody = fc.oneof(
  { weight: 15, arbitrary: fc.constant<Partial<ParityRequest>>({}) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map((json): Partial<ParityRequest> => ({ json })),
      fc.record({ project: fc.constantFrom('default', 'alpha', ''), environment: fc.constantFrom('production', 'QA') }, { requiredKeys: [] }).map((json): Partial<ParityRequest> => ({ json })),
      fc.tuple(fc.string({ maxLength: 10 }), fc.constantFrom(...CONTENT_TYPES)).map(([body, type]): Partial<ParityRequest> => ({ body, headers: { 'content-type': type } })),
    ),
  },
);

const method = fc.oneof(
  { weight: 30, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE') },
);

const createCallers = ({ callers }: World) => {
  const names = Object.keys(callers).filter((name) => !UNFIT.includes(name));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('adminToken') },
    { weight: 3, arbitrary: fc.constantFrom('rootAdmin', 'editor', 'viewer', 'owner', 'noRole', 'member') },
    { weight: 1, arbitrary: fc.constantFrom(...names) },
  );
};

type ReadParts = {
  operation: Operation;
  path: fc.Arbitrary<string>;
  query: fc.Arbitrary<string>;
  caller: fc.Arbitrary<string>;
};

const read = ({ operation, path, query, caller }: ReadParts): fc.Arbitrary<ParityRequest> =>
  fc
    .record({ path, query, caller, method, headers, body: readBody, write: pathWriting })
    .map(({ path, query, caller, method, headers, body, write }) => ({
      operation,
      caller,
      method,
      path: `${write(path)}${query}`,
      ...body,
      headers: { ...headers, ...body.headers },
    }));

const cloneBody = fc.oneof(
  { weight: 12, arbitrary: fc.record({ name: fc.constant<unknown>(COPY), replaceGroupId: fc.boolean() }, { requiredKeys: ['name'] }) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        name: fc.oneof(oddText, fc.constantFrom<unknown>('rich', 'archived', '.', '..', 5, true, null, [], {}, 'x'.repeat(101), 'team.copy', 'aa', 'x-1')),
        replaceGroupId: fc.constantFrom<unknown>(true, false, 'true', 'false', 0, 1, null, 'no', 2, [], ''),
        environment: fc.constantFrom('production', 'QA', ''),
        project: fc.constantFrom('alpha', 5),
      },
      { requiredKeys: [] },
    ),
  },
);

const cloneSending = fc.oneof(
  { weight: 20, arbitrary: fc.constant((json: unknown): Partial<ParityRequest> => ({ json })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (json: unknown): Partial<ParityRequest> => ({ body: JSON.stringify(json), headers: { 'content-type': 'text/plain' } }),
      (json: unknown): Partial<ParityRequest> => ({ body: JSON.stringify(json) }),
      (json: unknown): Partial<ParityRequest> => ({ json: [json] }),
      (): Partial<ParityRequest> => ({ body: 'name=generated-copy', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      (json: unknown): Partial<ParityRequest> => ({ body: JSON.stringify(json).slice(1), headers: { 'content-type': 'application/json' } }),
    ),
  },
);

const nameIn = (body: object): string => String(Reflect.get(body, 'name') ?? '');

/** Requests of each operation, using the world's data. */
export const createArbitraries = (world: World): Record<Operation, fc.Arbitrary<ParityRequest>> => {
  const caller = createCallers(world);
  const projects = [...PROJECT_IDS, 'ghost'];
  const features = [...world.features];
  const oddId = fc.oneof(oddText, fc.constantFrom('DEFAULT', 'constructor', '*')).map(encode);
  const project = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...projects).map(encode) }, { weight: 1, arbitrary: oddId });
  const userIds = [...Object.values(world.userIds), -42, -1337, 99].map(String);
  const search = {
    query: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...TEXTS) }, { weight: 1, arbitrary: oddText }),
    feature: filterOf(features),
    project: filterOf([...projects, 'with,comma', '*']),
    type: filterOf(world.eventTypes),
    createdBy: filterOf(userIds),
    from: dayFilter,
    to: dayFilter,
    limit: number,
    offset: number,
    unknown: oddText,
  };

  const sourceOfWorld = fc.constantFrom(...features, 'ghost').map((name) => ({ name, source: undefined }));
  const sourceByHand = createSources(world).map((source) => ({ name: source.name, source }));
  const target = fc.oneof({ weight: 6, arbitrary: fc.constant('default') }, { weight: 4, arbitrary: fc.constantFrom(...projects) });

  return {
    'search events': read({ operation: 'search events', path: fc.constant('/api/admin/search/events'), query: queryString(search, 3), caller }),
    'health report': read({ operation: 'health report', path: project.map((id) => `/api/admin/projects/${id}/health-report`), query: queryString({ x: oddText }, 1), caller }),
    'integration events': read({
      operation: 'integration events',
      path: fc
        .oneof({ weight: 6, arbitrary: fc.constantFrom(...world.integrationIds.map(String)) }, { weight: 2, arbitrary: number }, { weight: 1, arbitrary: oddText })
        .map((id) => `/api/admin/addons/${encode(id)}/events`),
      query: queryString({ limit: number, offset: number, x: oddText }, 2),
      // Most callers have no permission to read them.
      caller: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('adminToken', 'rootAdmin', 'service', 'inRootGroup') }, { weight: 1, arbitrary: caller }),
    }),
    clone: fc
      .record({
        from: fc.oneof({ weight: 2, arbitrary: sourceOfWorld }, { weight: 1, arbitrary: sourceByHand }),
        project: target,
        caller: fc.oneof({ weight: 3, arbitrary: fc.constantFrom('adminToken', 'editor', 'owner') }, { weight: 1, arbitrary: caller }),
        body: cloneBody,
        sending: cloneSending,
        headers,
      })
      .map(({ from, project, caller, body, sending, headers }): ParityRequest => {
        const sent = sending(body);
        return {
          operation: 'clone',
          method: 'POST',
          path: clonePath(project, from.name),
          caller,
          clone: { project, source: from.name, name: nameIn(body) },
          ...(from.source && { source: from.source }),
          ...sent,
          headers: { ...headers, ...sent.headers },
        };
      }),
  };
};
