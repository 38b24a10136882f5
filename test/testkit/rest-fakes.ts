import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { readCaller } from '../../src/auth/caller.js';
import { loadConfig } from '../../src/config/config.js';
import type { Feature } from '../../src/data/db.js';
import { Actor, type Grant } from '../../src/domain/actor.js';
import { AuthenticationRequired, type DomainError, UnknownError } from '../../src/domain/errors.js';
import type { FeatureRecord } from '../../src/domain/features/feature-record.js';
import { createCalls } from '../../src/http/call.js';
import { createOpenApiDocument } from '../../src/rest/openapi.js';
import type { RestOperations } from '../../src/rest/rest-operations.js';
import { createRestHandler, type RestDependencies } from '../../src/rest/router.js';

const actorWith = (author: string, grants: Grant[]) =>
  new Actor({
    kind: 'USER',
    userId: 7,
    author,
    name: author,
    grants,
    seesAllEvents: false,
    visibleProjects: null,
    ip: null,
  });

const ACTORS: Record<string, Actor> = {
  admin: actorWith('admin', [{ permission: 'ADMIN', project: null, environment: null }]),
  member: actorWith('member', [
    { permission: 'CREATE_FEATURE', project: 'web', environment: null },
  ]),
  viewer: actorWith('viewer', []),
};

const ROW: Feature = {
  name: '',
  type: 'release',
  description: null,
  projectId: 'web',
  stale: false,
  impressionData: false,
  createdAt: new Date('2025-01-01T00:00:00Z'),
  createdByUserId: 7,
  lastSeenAt: null,
  archivedAt: null,
};

// In an arbitrary key order, like a record from any source.
const CLONED: FeatureRecord = {
  type: 'release',
  description: null,
  name: '',
  createdAt: new Date('2025-01-01T00:00:00Z'),
  stale: false,
  impressionData: false,
  lastSeenAt: null,
  environments: [],
  archived: false,
  archivedAt: null,
  project: 'web',
  enabled: false,
  favorite: false,
  createdBy: null,
  variants: [],
  children: [],
  dependencies: [],
  lifecycle: null,
  collaborators: { users: [] },
};

type Sent = {
  method?: string;
  headers?: IncomingHttpHeaders;
  body?: string | Buffer;
  /** The token, which is also the name of the caller; null sends none. */
  as?: string | null;
};

type FakeOptions = {
  operations?: Partial<RestOperations>;
  settings?: Partial<Pick<RestDependencies, 'basePath' | 'deprecation'>>;
};

/** The REST paths over operations that only record their input. */
export const createFakeRest = ({ operations = {}, settings = {} }: FakeOptions = {}) => {
  const calls: { operation: string; author?: string; input?: unknown }[] = [];
  const bugs: unknown[] = [];

  const recorded: RestOperations = {
    assertWritable: async () => {},
    searchEvents: async ({ author }, input) => {
      calls.push({ operation: 'searchEvents', author, input });
      return { events: [], total: 0 };
    },
    getHealthReport: async ({ author }, input) => {
      calls.push({ operation: 'getHealthReport', author, input });
      return { name: 'Web' };
    },
    listIntegrationEvents: async ({ author }, input) => {
      calls.push({ operation: 'listIntegrationEvents', author, input });
      return [];
    },
    cloneFeature: async ({ author }, input) => {
      calls.push({ operation: 'cloneFeature', author, input });
      return { ...ROW, name: input.name };
    },
    getFeatureRecord: async (_actor, name) => ({ ...CLONED, name }),
    ...operations,
  };

  const handle = createRestHandler({
    authenticate: async ({ credentials }) => {
      if (credentials === null) throw AuthenticationRequired.noToken();
      const actor = ACTORS[credentials.value];
      if (!actor) throw AuthenticationRequired.badToken();
      return actor;
    },
    operations: recorded,
    basePath: '',
    openApi: createOpenApiDocument(settings.basePath ?? ''),
    requestTimeoutMs: 5_000,
    deprecation: { since: new Date('2025-01-01T00:00:00Z') },
    reportError: (error): DomainError => {
      bugs.push(error);
      return new UnknownError();
    },
    ...settings,
  });

  const createCall = createCalls(loadConfig({}).traffic);

  const send = async (
    target: string,
    { method = 'GET', headers, body: sent, as = 'admin' }: Sent = {},
  ) => {
    const [path = '', search = ''] = target.split(/\?(.*)/s);
    const allHeaders = { ...(as !== null && { authorization: as }), ...headers };
    const response = await handle({
      method,
      path,
      search,
      headers: allHeaders,
      stream: Readable.from(sent === undefined ? [] : [Buffer.from(sent)]),
      caller: readCaller(allHeaders, { isSameOrigin: false, ip: '127.0.0.1' }),
      call: createCall('127.0.0.1'),
      cancel: () => undefined,
    });
    const isJson = response.headers['content-type']?.startsWith('application/json');
    const body = response.body && String(response.body);
    return { ...response, body, json: body !== null && isJson ? JSON.parse(body) : null };
  };

  const postJson = (target: string, value: unknown, sent: Sent = {}) =>
    send(target, {
      method: 'POST',
      body: JSON.stringify(value),
      ...sent,
      headers: { 'content-type': 'application/json', ...sent.headers },
    });

  return { send, postJson, handle, calls, bugs };
};
