import { DEFAULT_LIMIT, MAX_EVENTS_LIMIT, MAX_INTEGRATION_EVENTS_LIMIT } from '../domain/paging.js';
import { LONGEST_SEARCH_TEXT } from '../domain/text.js';
import { ref } from './json-schema.js';
import { FEATURE_AND_PROJECT_SCHEMAS } from './openapi-feature-schemas.js';
import { DEPRECATION_HEADERS, jsonContent, responses } from './openapi-responses.js';
import { OPERATION_SCHEMAS } from './openapi-schemas.js';
import { MAX_FILTER_LENGTH } from './query-params.js';

const queryParameter = (name: string, description: string, schema: object = {}) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', ...schema },
});

const pathParameter = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

const filter = (name: string, what: string) =>
  queryParameter(name, `${what}: IS: or IS_ANY_OF: and values separated by commas.`, {
    pattern: '^(IS|IS_ANY_OF):.*$',
    maxLength: MAX_FILTER_LENGTH,
  });

const day = (name: string, what: string) =>
  queryParameter(name, `${what}: IS: and a day as yyyy-MM-dd, in UTC.`, {
    pattern: '^IS:\\d{4}-\\d{2}-\\d{2}$',
  });

const paging = (max: number) => [
  queryParameter('offset', 'Number of entries to skip.', { default: '0' }),
  queryParameter('limit', `Entries in a page, 1 to ${max}; anything else means the default.`, {
    default: String(DEFAULT_LIMIT),
  }),
];

const searchEvents = {
  operationId: 'searchEvents',
  summary: 'Search the recorded events',
  description: 'All conditions must hold. Root administrators also see events without a project.',
  tags: ['Events'],
  parameters: [
    queryParameter('query', 'Literal text found in data, preData or tags, in any letter case.', {
      maxLength: LONGEST_SEARCH_TEXT,
    }),
    filter('feature', 'Names of features'),
    filter('project', 'Ids of projects'),
    filter('type', 'Types of events'),
    filter('createdBy', 'Numeric ids of authors'),
    day('from', 'First day'),
    day('to', 'Last day, included'),
    ...paging(MAX_EVENTS_LIMIT),
    filter('environment', 'Names of environments'),
  ],
  responses: responses(
    { schema: 'EventSearchResult', description: 'A page of events.', isCacheable: true },
    [],
  ),
};

const getHealthReport = {
  operationId: 'getHealthReport',
  deprecated: true,
  summary: 'Report how a project stands',
  description: 'Deprecated. Ask the graph for the project and its health instead.',
  tags: ['Projects'],
  parameters: [pathParameter('projectId', 'Id of the project.')],
  responses: responses(
    { schema: 'HealthReport', description: 'The report.', isCacheable: true },
    ['NotFoundError'],
    DEPRECATION_HEADERS,
  ),
};

const listIntegrationEvents = {
  operationId: 'listIntegrationEvents',
  summary: 'List deliveries to an integration',
  description: 'Needs the permission ADMIN.',
  tags: ['Integrations'],
  parameters: [
    pathParameter('id', 'Id of the integration.', { type: 'integer', format: 'int32' }),
    ...paging(MAX_INTEGRATION_EVENTS_LIMIT),
  ],
  responses: responses(
    { schema: 'IntegrationEvents', description: 'A page of deliveries.', isCacheable: true },
    ['NotFoundError'],
  ),
};

const cloneFeature = {
  operationId: 'cloneFeature',
  summary: 'Copy a feature',
  description:
    'The project of the path receives the copy, whichever project the source is in. ' +
    'Needs the permission CREATE_FEATURE there.',
  tags: ['Features'],
  parameters: [
    pathParameter('projectId', 'Id of the project that receives the copy.'),
    pathParameter('featureName', 'Name of the feature to copy.'),
  ],
  requestBody: { required: true, content: jsonContent(ref('CloneFeatureRequest')) },
  responses: responses({ schema: 'Feature', description: 'The new feature.', isCacheable: false }, [
    'PatternError',
    'ExceedsLimitError',
    'ForbiddenError',
    'InvalidOperationError',
    'NotFoundError',
    'NameExistsError',
    'MaintenanceModeError',
  ]),
};

/** The OpenAPI 3.1 description of the four REST operations. */
export const createOpenApiDocument = (basePath: string) => ({
  openapi: '3.1.0',
  info: {
    title: 'Feature administration',
    version: '1.0.0',
    description: 'Event search, project health, integration deliveries and feature cloning.',
  },
  servers: [{ url: basePath || '/' }],
  security: [{ apiKey: [] }],
  tags: ['Events', 'Projects', 'Integrations', 'Features'].map((name) => ({ name })),
  paths: {
    '/api/admin/search/events': { get: searchEvents },
    '/api/admin/projects/{projectId}/health-report': { get: getHealthReport },
    '/api/admin/addons/{id}/events': { get: listIntegrationEvents },
    '/api/admin/projects/{projectId}/features/{featureName}/clone': { post: cloneFeature },
  },
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    schemas: { ...OPERATION_SCHEMAS, ...FEATURE_AND_PROJECT_SCHEMAS },
  },
});
