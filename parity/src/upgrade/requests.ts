import type { WireRequest } from '../http.js';
import { clonePath, type ParityRequest, toWire } from '../request.js';
import type { World } from '../world/world.js';

/** Sent repeatedly during the migration. Its expected response never changes. */
export type Probe = { what: string; wire: WireRequest; status: number };

/** The source of every clone. */
export const SOURCE = 'rich';

const graphql = (query: string, caller = 'adminToken'): Omit<ParityRequest, 'operation'> => ({
  method: 'POST',
  path: '/graphql',
  json: { query },
  caller,
});

const PAGE = `{
  feature(name: "${SOURCE}") {
    name description type stale createdAt tags { type value }
    environments { enabled strategies { name title parameters } }
    events(first: 5) { nodes { id type label summary group { id } } }
  }
  project(id: "delta") { id name mode health { score staleCount } features(first: 20) { nodes { name } } }
  integrations { id provider deliveries(first: 5) { nodes { id state } } }
}`;

/** All four operations and GraphQL, with both kinds of tokens. */
export const probesOf = (world: World): Probe[] => {
  const integration = world.integrationIds[0] ?? 0;
  const sent: Record<string, Omit<ParityRequest, 'operation'>> = {
    'search of a feature': { path: `/api/admin/search/events?feature=IS:${SOURCE}` },
    'search by ID': { path: '/api/admin/search/events?id=IS_ANY_OF:1,2,3' },
    'search by text': { path: `/api/admin/search/events?query=${SOURCE}-nothing` },
    'search of a project, personal token': {
      path: '/api/admin/search/events?project=IS:alpha&limit=20',
      caller: 'ownerElsewhere',
    },
    'health report': { path: '/api/admin/projects/delta/health-report' },
    'health report, personal token': {
      path: '/api/admin/projects/alpha/health-report',
      caller: 'viewer',
    },
    'integration events': { path: `/api/admin/addons/${integration}/events?limit=20` },
    'a page over GraphQL': graphql(PAGE),
    'a viewer over GraphQL': graphql('{ viewer { kind name } }', 'inGroup'),
    'an unknown token': { path: '/api/admin/search/events', caller: 'unknownPersonal' },
  };
  return Object.entries(sent).map(([what, request]) => ({
    what,
    status: request.caller === 'unknownPersonal' ? 401 : 200,
    wire: toWire({ operation: 'search events', ...request }, world),
  }));
};

/** A clone of the source under a new name, over REST or GraphQL. */
export const cloneRequest = (world: World, name: string, isGraphql: boolean): WireRequest => {
  const mutation = `mutation { cloneFeature(input: { featureName: "${SOURCE}", newName: "${name}" }) {
    __typename ... on CloneFeaturePayload { feature { name } } } }`;
  const request = isGraphql
    ? graphql(mutation, 'rootAdmin')
    : { method: 'POST', path: clonePath('default', SOURCE), json: { name } };
  return toWire({ operation: 'clone', ...request }, world);
};

/** A clone by a caller who may create features, but not strategies in every environment of the source. */
export const limitedCloneRequest = (world: World, name: string): WireRequest =>
  toWire(
    {
      operation: 'clone',
      method: 'POST',
      path: clonePath('default', SOURCE),
      json: { name },
      caller: 'editor',
    },
    world,
  );
