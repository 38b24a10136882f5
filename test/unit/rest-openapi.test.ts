import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import type { FeatureRecord } from '../../src/domain/features/feature-record.js';
import type { HealthReport } from '../../src/domain/projects/get-health-report.js';
import { ERROR_NAMES, statusOf } from '../../src/rest/errors.js';
import { createOpenApiDocument } from '../../src/rest/openapi.js';
import { createFakeRest } from '../testkit/rest-fakes.js';

type Operation = {
  deprecated?: boolean;
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
};

const document = createOpenApiDocument('/flags');
const operations = Object.values(document.paths).map(
  (methods) => Object.values(methods)[0] as unknown as Operation,
);

const createValidator = () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv);
  ajv.addKeyword('components');
  const compiled = new Map<object, ReturnType<typeof ajv.compile>>();
  return (schema: object, value: unknown) => {
    const validate =
      compiled.get(schema) ?? ajv.compile({ ...schema, components: document.components });
    compiled.set(schema, validate);
    return validate(value) ? [] : validate.errors;
  };
};

const NOW = new Date('2025-01-01T10:00:00.123Z');
const PERSON = { id: 3, name: 'Ann', imageUrl: 'https://example.com/ann.png' };
const VARIANT = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };

const bareFeature: FeatureRecord = {
  type: null,
  description: null,
  name: 'bare',
  createdAt: null,
  stale: null,
  impressionData: null,
  lastSeenAt: null,
  environments: [],
  archived: false,
  archivedAt: null,
  project: null,
  enabled: false,
  favorite: false,
  createdBy: null,
  variants: [],
  children: [],
  dependencies: [],
  lifecycle: null,
  collaborators: { users: [] },
};

const fullFeature: FeatureRecord = {
  ...bareFeature,
  type: 'release',
  description: 'Everything set',
  createdAt: NOW,
  stale: true,
  impressionData: true,
  lastSeenAt: NOW,
  environments: [
    {
      name: 'production',
      enabled: true,
      type: 'production',
      sortOrder: null,
      variantCount: 1,
      lastSeenAt: NOW,
      hasStrategies: true,
      hasEnabledStrategies: true,
      environment: 'production',
      featureName: 'full',
      strategies: [
        {
          id: 'a',
          name: 'flexibleRollout',
          title: null,
          disabled: false,
          featureName: 'full',
          sortOrder: 9999,
          segments: [1],
          constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], further: {} }],
          variants: [VARIANT],
          parameters: { rollout: '100', odd: [1] },
        },
      ],
      variants: [{ ...VARIANT, overrides: [{ contextName: 'userId', values: ['1'] }] }],
    },
  ],
  tags: [{ value: 'payments', type: 'team' }],
  archived: true,
  archivedAt: NOW,
  project: 'web',
  createdBy: PERSON,
  variants: [{ ...VARIANT, payload: { type: 'string', value: 'x' } }],
  children: ['child'],
  dependencies: [{ feature: 'parent', enabled: true, variants: ['blue'] }],
  lifecycle: { stage: 'live', enteredStageAt: NOW },
  collaborators: { users: [PERSON] },
};

const report: HealthReport = {
  stats: {
    avgTimeToProdCurrentWindow: 1.5,
    createdCurrentWindow: 1,
    createdPastWindow: 0,
    archivedCurrentWindow: 0,
    archivedPastWindow: 0,
    projectActivityCurrentWindow: 9,
    projectActivityPastWindow: 0,
    projectMembersAddedCurrentWindow: 0,
  },
  name: 'Web',
  description: null,
  mode: 'open',
  featureLimit: null,
  featureNaming: { pattern: null, example: null, description: null },
  defaultStickiness: 'default',
  health: 100,
  technicalDebt: 0,
  favorite: false,
  updatedAt: NOW,
  createdAt: null,
  environments: [
    { environment: 'development', changeRequestsEnabled: false },
    {
      environment: 'production',
      changeRequestsEnabled: true,
      defaultStrategy: { name: 'flexibleRollout', parameters: {}, title: null },
    },
  ],
  features: [bareFeature, fullFeature],
  members: 1,
  version: 1,
  potentiallyStaleCount: 0,
  activeCount: 1,
  staleCount: 1,
};

const searchedEvent = {
  id: 1,
  type: 'newer-than-any-list',
  createdBy: 'ann',
  createdAt: null,
  createdByUserId: null,
  data: ['any', 1],
  preData: null,
  // Lengths and shapes that no version of Unleash writes any longer.
  tags: [{ value: 'payments', type: 'team' }, { value: 'x', type: '' }, { value: 2 }, 'tag'],
  featureName: null,
  projectId: null,
  environment: null,
  groupType: 'transaction',
  groupId: '01JZ0000000000000000000000',
  label: 'x',
  summary: 'x',
};

const delivery = {
  id: 1n,
  integrationId: 1,
  createdAt: NOW,
  state: 'failed',
  stateDetails: '',
  event: { id: 1, type: 'feature-created', createdAt: NOW, project: null },
  details: { url: 'https://example.com' },
};

describe('the OpenAPI document', () => {
  test('describes the four operations, the health report as deprecated', () => {
    expect(
      Object.entries(document.paths).map(([path, methods]) => [path, Object.keys(methods)]),
    ).toEqual([
      ['/api/admin/search/events', ['get']],
      ['/api/admin/projects/{projectId}/health-report', ['get']],
      ['/api/admin/addons/{id}/events', ['get']],
      ['/api/admin/projects/{projectId}/features/{featureName}/clone', ['post']],
    ]);
    expect(operations.map(({ deprecated = false }) => deprecated)).toEqual([
      ...[false, true, false, false],
    ]);
  });

  test('is served below the base path to any valid token', async () => {
    const { send } = createFakeRest({ settings: { basePath: '/flags' } });
    const { status, json } = await send('/api/admin/openapi.json', { as: 'viewer' });
    expect(status).toBe(200);
    expect(json).toEqual(JSON.parse(JSON.stringify(document)));
    expect(json).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/flags' }] });
    expect(createOpenApiDocument('').servers).toEqual([{ url: '/' }]);
  });

  test('has valid schemas for a strict validator, and no dangling references', () => {
    const validate = createValidator();
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => validate({ $ref: `#/components/schemas/${name}` }, null)).not.toThrow();
    }
  });

  test('lists every error with its own status', () => {
    const described = operations.flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const schema = content?.['application/json']?.schema as {
          properties?: { name: { enum: string[] } };
        };
        return (schema?.properties?.name.enum ?? []).map((name) => `${status} ${name}`);
      }),
    );
    const expected = ERROR_NAMES.map((name) => `${statusOf(name)} ${name}`);
    expect([...new Set(described)].toSorted()).toEqual(expected.toSorted());
  });

  test('matches successful responses, without extra or missing keys', async () => {
    const { send, postJson } = createFakeRest({
      operations: {
        searchEvents: async () => ({ events: [searchedEvent], total: 1 }),
        getHealthReport: async () => report,
        listIntegrationEvents: async () => [delivery],
        getFeatureRecord: async () => fullFeature,
      },
    });
    const responses = [
      await send('/api/admin/search/events'),
      await send('/api/admin/projects/web/health-report'),
      await send('/api/admin/addons/1/events'),
      await postJson('/api/admin/projects/web/features/full/clone', { name: 'copy' }),
    ];

    const validate = createValidator();
    for (const [index, { json }] of responses.entries()) {
      const schema = operations[index]?.responses[200]?.content?.['application/json']?.schema ?? {};
      expect(validate(schema, json)).toEqual([]);
      expect(validate(schema, { ...json, surprise: 1 })).not.toEqual([]);
      for (const key of Object.keys(json).filter((name) => name !== 'tags')) {
        expect(validate(schema, { ...json, [key]: undefined })).not.toEqual([]);
      }
    }
  });

  test('matches error responses', async () => {
    const { send, postJson } = createFakeRest();
    const clone = '/api/admin/projects/web/features/checkout/clone';
    const results = [
      await postJson(clone, {}),
      await postJson(clone, { name: 'x' }, { as: null }),
      await postJson(clone, { name: 'x' }, { as: 'worthless' }),
      await postJson(clone, { name: 'x' }, { as: 'viewer' }),
      await send(clone, { method: 'POST' }),
    ];
    expect(results.map(({ status }) => status)).toEqual([400, 401, 401, 403, 415]);

    const validate = createValidator();
    const responses = operations[3]?.responses ?? {};
    for (const { status, json } of results) {
      const schema = responses[status]?.content?.['application/json']?.schema ?? { not: {} };
      expect(validate(schema, json)).toEqual([]);
      expect(validate(schema, { ...json, surprise: 1 })).not.toEqual([]);
      expect(validate(schema, { ...json, name: 'OtherError' })).not.toEqual([]);
    }
  });
});
