import type { Outcome } from './comparison.js';
import { firstDifference } from './diff.js';
import { send, type WireRequest } from './http.js';
import { queryOf, withParams } from './query.js';
import type { Failure } from './report.js';
import type { Operation } from './request.js';
import { isBody, toView } from './view.js';

/** A parameter that the OpenAPI document of a version lists for one of the four paths. */
export type Parameter = { operation: Operation; place: 'query' | 'path' | 'body'; name: string };

/** The part of both sides that is used here. */
type Servers = { version: string; upstream: { url: string }; gateway: { url: string } };

const PATHS: Readonly<Record<Operation, readonly [method: string, path: string]>> = {
  'search events': ['get', '/api/admin/search/events'],
  'health report': ['get', '/api/admin/projects/{projectId}/health-report'],
  'integration events': ['get', '/api/admin/addons/{id}/events'],
  clone: ['post', '/api/admin/projects/{projectId}/features/{featureName}/clone'],
};

const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((found, key) => (isBody(found) ? found[key] : undefined), value);

/** Resolves a `$ref` within the document. */
const resolve = (document: unknown, schema: unknown): unknown => {
  const reference = at(schema, '$ref');
  return typeof reference === 'string' ? at(document, ...reference.split('/').slice(1)) : schema;
};

const listFor = (document: unknown, operation: Operation): Parameter[] => {
  const [method, path] = PATHS[operation];
  const described = at(document, 'paths', path, method);
  if (described === undefined) throw new Error(`the OpenAPI document lacks ${method} ${path}`);
  const parameters = [
    at(described, 'parameters') ?? [],
    at(document, 'paths', path, 'parameters') ?? [],
  ]
    .flat()
    .map((parameter) => resolve(document, parameter));
  const schema = at(described, 'requestBody', 'content', 'application/json', 'schema');
  const fields = Object.keys(Object(at(resolve(document, schema), 'properties')));
  return [
    ...parameters.flatMap((parameter): Parameter[] => {
      const place = at(parameter, 'in');
      const name = String(at(parameter, 'name'));
      return place === 'query' || place === 'path' ? [{ operation, place, name }] : [];
    }),
    ...fields.map((name): Parameter => ({ operation, place: 'body', name })),
  ];
};

/** Every parameter that the OpenAPI document of the running version lists for the four paths. */
export const readParameters = async ({ upstream }: Servers): Promise<Parameter[]> => {
  const { json } = await send(upstream.url, {
    method: 'GET',
    path: '/docs/openapi.json',
    headers: {},
  });
  return (Object.keys(PATHS) as Operation[]).flatMap((operation) => listFor(json, operation));
};

const bodyOf = ({ body }: WireRequest): unknown => {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
};

/** A request that both sides accepted, without its responses: there are too many to keep. */
export type Accepted = { operation: Operation; wire: WireRequest };

export const acceptedIn = ({ request, wire, responses }: Outcome): Accepted[] =>
  responses.upstream.status < 300 && responses.gateway.status < 300
    ? [{ operation: request.operation, wire }]
    : [];

const uses = (
  { operation: sent, wire }: Accepted,
  { operation, place, name }: Parameter,
): boolean => {
  if (sent !== operation) return false;
  if (place === 'query') return name in queryOf(wire);
  return place === 'path' || name in Object(bodyOf(wire));
};

/** Whether a side's response depends on the parameter. */
const isEffective = async (url: string, { wire, operation }: Accepted, name: string) => {
  const view = async (sent: WireRequest) => toView(operation, await send(url, sent));
  const [withParameter, without] = await Promise.all([
    view(wire),
    view(withParams(wire, { [name]: null })),
  ]);
  return firstDifference(withParameter, without) !== undefined;
};

const checkParameter = async (
  { upstream, gateway, version }: Servers,
  accepted: readonly Accepted[],
  parameter: Parameter,
): Promise<string | undefined> => {
  const { operation, place, name } = parameter;
  const what = `${place} parameter '${name}' of ${operation}`;
  const used = accepted.filter((request) => uses(request, parameter));
  if (used.length === 0) return `${what} is in OpenAPI of ${version}, but no request uses it`;
  if (place !== 'query') return undefined;
  for (const request of used.filter(({ wire }) => wire.method === 'GET')) {
    if (!(await isEffective(upstream.url, request, name))) continue;
    return (await isEffective(gateway.url, request, name))
      ? undefined
      : `${what} changes nothing at the gateway: ${request.wire.path}`;
  }
  return `${what} changes the response of ${version} in no request`;
};

/** Fails for every documented parameter that no request uses, or that the gateway ignores. */
export const checkParameters = async (
  sides: Servers,
  accepted: readonly Accepted[],
): Promise<Failure[]> => {
  const failures: Failure[] = [];
  for (const parameter of await readParameters(sides)) {
    const difference = await checkParameter(sides, accepted, parameter);
    if (difference !== undefined) failures.push({ what: 'parameters of the document', difference });
  }
  return failures;
};
