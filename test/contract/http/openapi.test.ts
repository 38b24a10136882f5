import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, type RestResult } from '../../testkit/app.js';
import { rawRequest } from '../../testkit/raw-request.js';

type Parameter = { name: string; in: string; required?: boolean; schema: object };
type Described = {
  content?: Record<string, { schema: object }>;
  headers?: Record<string, { required: boolean }>;
};
type Operation = {
  operationId: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, Described>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
};

const SEARCH = '/api/admin/search/events';
const PROJECTS = ['default', 'web-shop', 'mobile', 'payments', 'warehouse', 'legacy-portal', 'lab'];

/** All `$ref`s anywhere inside a value. */
const refsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  );
};

describeWithDemo('OpenAPI', ({ gateway, database }) => {
  let document: Document;
  let operations: Map<string, Operation>;
  let errorsOf: (schema: object, value: unknown) => ErrorObject[];

  beforeAll(async () => {
    const { status, body } = await gateway().rest('/api/admin/openapi.json');
    expect(status).toBe(200);
    document = body;
    operations = new Map(
      Object.values(document.paths)
        .flatMap((methods) => Object.values(methods))
        .map((operation) => [operation.operationId, operation]),
    );
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    formats.default(ajv);
    ajv.addKeyword('components');
    const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
    errorsOf = (schema, value) => {
      const validate =
        compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components });
      compiled.set(schema, validate);
      return validate(value) ? [] : (validate.errors ?? []);
    };
  });

  /** Expects a declared status, a matching body, and the required headers. */
  const expectDescribed = (operationId: string, { status, body, headers }: RestResult) => {
    const described = operations.get(operationId)?.responses[status];
    expect([operationId, status, described !== undefined]).toEqual([operationId, status, true]);
    const schema = described?.content?.['application/json']?.schema ?? { not: {} };
    expect(errorsOf(schema, body)).toEqual([]);
    for (const [name, { required }] of Object.entries(described?.headers ?? {})) {
      if (required) expect([name, headers.get(name)]).toEqual([name, expect.any(String)]);
    }
  };

  describe('the document', () => {
    test('is an OpenAPI 3.1 document of the four operations', () => {
      expect(document.openapi).toMatch(/^3\.1\.\d+$/);
      expect(document.info).toMatchObject({
        title: expect.any(String),
        version: expect.any(String),
      });
      expect(document.servers.length).toBeGreaterThan(0);
      expect(
        Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]),
      ).toEqual([
        [SEARCH, ['get']],
        ['/api/admin/projects/{projectId}/health-report', ['get']],
        ['/api/admin/addons/{id}/events', ['get']],
        ['/api/admin/projects/{projectId}/features/{featureName}/clone', ['post']],
      ]);
      expect(operations.size).toBe(4);
      expect(operations.get('getHealthReport')?.deprecated).toBe(true);
      const [requirement] = document.security;
      expect(Object.keys(document.components.securitySchemes)).toEqual(
        Object.keys(requirement ?? {}),
      );
    });

    test('has valid schemas without unused or dangling references', () => {
      for (const ref of refsIn(document)) {
        expect(ref).toMatch(/^#\/components\/schemas\//);
        expect(document.components.schemas).toHaveProperty([ref.split('/').at(-1) ?? '']);
      }
      for (const schema of Object.values(document.components.schemas)) errorsOf(schema, null);
      const used = new Set(refsIn(document).map((ref) => ref.split('/').at(-1)));
      expect(Object.keys(document.components.schemas).filter((name) => !used.has(name))).toEqual(
        [],
      );
    });

    test('describes every path parameter once', () => {
      for (const [path, methods] of Object.entries(document.paths)) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        for (const { parameters } of Object.values(methods)) {
          const named = parameters.filter((parameter) => parameter.in === 'path');
          expect(named.map(({ name }) => name)).toEqual(inPath);
          expect(named.every(({ required }) => required)).toBe(true);
          const names = parameters.map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
          for (const { schema } of parameters) errorsOf(schema, '');
        }
      }
    });

    test('requires a token of any kind', async () => {
      const token = DEMO_TOKENS.noRole;
      expect((await gateway().rest('/api/admin/openapi.json', { token })).status).toBe(200);
      expect((await gateway().rest('/api/admin/openapi.json', { token: null })).status).toBe(401);
    });
  });

  describe('matches actual responses:', () => {
    test('every event of the log', async () => {
      for (let offset = 0; ; offset += 1000) {
        const response = await gateway().rest(`${SEARCH}?limit=1000&offset=${offset}`);
        expectDescribed('searchEvents', response);
        if (response.body.events.length < 1000) break;
      }
    });

    test('the health report of every project, for several callers', async () => {
      for (const project of PROJECTS) {
        for (const caller of ['admin', 'viewer', 'noRole'] as const) {
          const response = await gateway().rest(`/api/admin/projects/${project}/health-report`, {
            token: DEMO_TOKENS[caller],
          });
          // A private project is hidden from a Viewer.
          const isHidden = caller === 'viewer' && project === 'payments';
          expect(response.status).toBe(isHidden ? 404 : 200);
          expectDescribed('getHealthReport', response);
        }
      }
    });

    test('the deliveries of every integration', async () => {
      const integrations = await database().client.integration.findMany();
      expect(integrations.length).toBeGreaterThan(3);
      for (const { id } of integrations) {
        const response = await gateway().rest(`/api/admin/addons/${id}/events?limit=100`);
        expect(response.status).toBe(200);
        expectDescribed('listIntegrationEvents', response);
      }
    });

    test('clones of features of every kind', async () => {
      for (const source of ['checkout-gift-cards', 'product-recommendations', 'newsletter-popup']) {
        const path = `/api/admin/projects/web-shop/features/${source}/clone`;
        const response = await gateway().rest(path, { body: { name: `copy-of-${source}` } });
        expect(response.status).toBe(200);
        expectDescribed('cloneFeature', response);
      }
    });
  });

  describe('matches actual errors:', () => {
    const clone = (into: string, feature: string) =>
      `/api/admin/projects/${into}/features/${feature}/clone`;
    type Call = Parameters<ReturnType<typeof gateway>['rest']>;
    const body = { name: 'copy' };

    test.each<[string, number, string, Call]>([
      ['searchEvents', 400, 'BadDataError', [`${SEARCH}?from=yesterday`]],
      ['searchEvents', 401, 'AuthenticationRequired', [SEARCH, { token: null }]],
      ['searchEvents', 401, 'AuthenticationRequired', [SEARCH, { token: 'x' }]],
      ['searchEvents', 403, 'NoAccessError', [SEARCH, { token: DEMO_TOKENS.client }]],
      ['getHealthReport', 400, 'BadDataError', ['/api/admin/projects/%00/health-report']],
      [
        'getHealthReport',
        401,
        'AuthenticationRequired',
        ['/api/admin/projects/lab/health-report', { token: null }],
      ],
      [
        'getHealthReport',
        403,
        'NoAccessError',
        ['/api/admin/projects/lab/health-report', { token: DEMO_TOKENS.frontend }],
      ],
      ['getHealthReport', 404, 'NotFoundError', ['/api/admin/projects/nowhere/health-report']],
      ['listIntegrationEvents', 400, 'BadDataError', ['/api/admin/addons/x/events']],
      [
        'listIntegrationEvents',
        401,
        'AuthenticationRequired',
        ['/api/admin/addons/1/events', { token: null }],
      ],
      [
        'listIntegrationEvents',
        403,
        'NoAccessError',
        ['/api/admin/addons/1/events', { token: DEMO_TOKENS.viewer }],
      ],
      ['listIntegrationEvents', 404, 'NotFoundError', ['/api/admin/addons/99/events']],
      ['cloneFeature', 400, 'BadDataError', [clone('lab', 'welcome-tour'), { body: {} }]],
      ['cloneFeature', 400, 'PatternError', [clone('mobile', 'welcome-tour'), { body }]],
      [
        'cloneFeature',
        401,
        'AuthenticationRequired',
        [clone('lab', 'welcome-tour'), { body, token: null }],
      ],
      [
        'cloneFeature',
        403,
        'NoAccessError',
        [clone('lab', 'welcome-tour'), { body, token: DEMO_TOKENS.viewer }],
      ],
      ['cloneFeature', 403, 'ForbiddenError', [clone('payments', 'welcome-tour'), { body }]],
      [
        'cloneFeature',
        403,
        'InvalidOperationError',
        [clone('warehouse', 'welcome-tour'), { body }],
      ],
      ['cloneFeature', 404, 'NotFoundError', [clone('lab', 'nothing'), { body }]],
      [
        'cloneFeature',
        409,
        'NameExistsError',
        [clone('lab', 'welcome-tour'), { body: { name: 'welcome-tour' } }],
      ],
      [
        'cloneFeature',
        413,
        'PayloadTooLargeError',
        [clone('lab', 'welcome-tour'), { body: { name: 'x'.repeat(110_000) } }],
      ],
      [
        'cloneFeature',
        415,
        'ContentTypeerror',
        [clone('lab', 'welcome-tour'), { body, headers: { 'content-type': 'text/plain' } }],
      ],
    ])('%s %i %s', async (operationId, status, name, call) => {
      const response = await gateway().rest(...call);
      expect([response.status, response.body.name]).toEqual([status, name]);
      expectDescribed(operationId, response);
    });

    test('cloneFeature 503 MaintenanceModeError', async () => {
      const { client } = database();
      const name = 'maintenance.mode';
      await client.setting.create({ data: { name, content: { enabled: true } } });
      const response = await gateway().rest(clone('lab', 'welcome-tour'), { body });
      await client.setting.delete({ where: { name } });
      expect([response.status, response.body.name]).toEqual([503, 'MaintenanceModeError']);
      expectDescribed('cloneFeature', response);
    });

    test('every operation 500 UnknownError', async () => {
      const { client } = database();
      await client.$executeRaw`alter table events rename to events_kept`;
      await client.$executeRaw`alter table integration_events rename to integration_events_kept`;
      const responses = {
        searchEvents: await gateway().rest(SEARCH),
        getHealthReport: await gateway().rest('/api/admin/projects/default/health-report'),
        listIntegrationEvents: await gateway().rest('/api/admin/addons/1/events'),
        cloneFeature: await gateway().rest(clone('lab', 'welcome-tour'), { body }),
      };
      await client.$executeRaw`alter table events_kept rename to events`;
      await client.$executeRaw`alter table integration_events_kept rename to integration_events`;
      for (const [operationId, response] of Object.entries(responses)) {
        expect([operationId, response.status]).toEqual([operationId, 500]);
        expectDescribed(operationId, response);
      }
      expect(await client.feature.findUnique({ where: { name: body.name } })).toBeNull();
    });

    test('304 Not Modified', async () => {
      const paths = { searchEvents: SEARCH, listIntegrationEvents: '/api/admin/addons/1/events' };
      for (const [operationId, path] of Object.entries(paths)) {
        const { headers } = await gateway().rest(path);
        // Not with fetch, which does not expose a 304 when this header is set.
        const { status } = await rawRequest(gateway().url, {
          path,
          headers: {
            authorization: DEMO_TOKENS.admin,
            'if-none-match': headers.get('etag') ?? '',
          },
        });
        expect(status).toBe(304);
        expect(operations.get(operationId)?.responses).toHaveProperty('304');
      }
    });
  });

  test('describes exactly the accepted parameters and bodies', async () => {
    const parameterSchema = (name: string) =>
      operations.get('searchEvents')?.parameters.find((parameter) => parameter.name === name)
        ?.schema ?? { not: {} };
    const values = {
      project: ['IS:web-shop', 'IS_ANY_OF:a,b', 'IS:', 'is:x', 'web-shop', 'IS_NOT:x'],
      from: ['IS:2026-01-01', '2026-01-01', 'IS:2026-1-1', 'IS:'],
      query: ['anything', ''],
      limit: ['5', '0', 'x'],
    };
    for (const [name, candidates] of Object.entries(values)) {
      for (const value of candidates) {
        const fits = errorsOf(parameterSchema(name), value).length === 0;
        const { status } = await gateway().rest(`${SEARCH}?${name}=${encodeURIComponent(value)}`);
        expect([name, value, status]).toEqual([name, value, fits ? 200 : 400]);
      }
    }

    const bodySchema =
      operations.get('cloneFeature')?.requestBody?.content['application/json']?.schema ?? {};
    expect(errorsOf(bodySchema, { name: 'x', replaceGroupId: false, more: 1 })).toEqual([]);
    expect(errorsOf(bodySchema, { name: ['x'] })).not.toEqual([]);
    expect(errorsOf(bodySchema, {})).not.toEqual([]);
    expect(errorsOf(bodySchema, [])).not.toEqual([]);
  });
});
