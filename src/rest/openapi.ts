import { MAX_KEY_LENGTH } from '../domain/features/idempotency.js';
import { DEFAULT_LIMIT, MAX_EVENTS_LIMIT, MAX_INTEGRATION_EVENTS_LIMIT } from '../domain/paging.js';
import { MAX_SEARCH_TEXT_LENGTH } from '../domain/text.js';
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

/** The patterns as the API document and Unleash print them. */
const FILTER = '^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$';
const NUMBER_FILTER = '^(IS|IS_ANY_OF):(.*?)(,([0-9]+))*$';

const filter = (name: string, what: string, pattern = FILTER) =>
  queryParameter(name, `${what}: IS: or IS_ANY_OF: followed by comma-separated values.`, {
    pattern,
    maxLength: MAX_FILTER_LENGTH,
  });

const day = (name: string, what: string) =>
  queryParameter(name, `${what}: IS: followed by a date (yyyy-MM-dd) in UTC.`, {
    pattern: '^(IS):\\d{4}-\\d{2}-\\d{2}$',
  });

const paging = (max: number) => [
  queryParameter('offset', 'Number of entries to skip.', { default: '0' }),
  queryParameter(
    'limit',
    `Maximum number of entries, from 1 to ${max}; any other value means the default.`,
    {
      default: String(DEFAULT_LIMIT),
    },
  ),
];

const searchEvents = {
  operationId: 'searchEvents',
  summary: 'Search the event log',
  description:
    'All conditions must match. Callers with the root role Admin also see events without a project.',
  tags: ['Events'],
  parameters: [
    queryParameter(
      'query',
      'Text to find in data, preData or tags. Case-insensitive, without wildcards.',
      {
        maxLength: MAX_SEARCH_TEXT_LENGTH,
      },
    ),
    filter('id', 'Event IDs', NUMBER_FILTER),
    filter(
      'groupId',
      'IDs of groups of events that were written together (400 where Unleash records no groups, before version 7)',
      NUMBER_FILTER,
    ),
    filter('feature', 'Feature names'),
    filter('project', 'Project IDs'),
    filter('type', 'Event types'),
    filter('createdBy', 'User IDs of authors'),
    day('from', 'First day'),
    day('to', 'Last day, inclusive'),
    ...paging(MAX_EVENTS_LIMIT),
    filter('environment', 'Environment names'),
  ],
  responses: responses(
    { schema: 'EventSearchResult', description: 'A page of events.', isCacheable: true },
    [],
  ),
};

const getHealthReport = {
  operationId: 'getHealthReport',
  deprecated: true,
  summary: 'Get the health report of a project',
  description: 'Deprecated. Query the project and its health in GraphQL instead.',
  tags: ['Projects'],
  parameters: [pathParameter('projectId', 'Project ID.')],
  responses: responses(
    { schema: 'HealthReport', description: 'The report.', isCacheable: true },
    ['NotFoundError'],
    DEPRECATION_HEADERS,
  ),
};

const listIntegrationEvents = {
  operationId: 'listIntegrationEvents',
  summary: 'List deliveries to an integration',
  description: 'Requires the permission ADMIN.',
  tags: ['Integrations'],
  parameters: [
    pathParameter('id', 'Integration ID.', { type: 'integer', format: 'int32' }),
    ...paging(MAX_INTEGRATION_EVENTS_LIMIT),
  ],
  responses: responses(
    { schema: 'IntegrationEvents', description: 'A page of deliveries.', isCacheable: true },
    ['NotFoundError'],
  ),
};

const cloneFeature = {
  operationId: 'cloneFeature',
  summary: 'Clone a feature',
  description:
    'Creates the copy in the project of the path, regardless of the project of the source. ' +
    'Requires CREATE_FEATURE in that project.',
  tags: ['Features'],
  parameters: [
    pathParameter('projectId', 'ID of the project to create the copy in.'),
    pathParameter('featureName', 'Name of the feature to clone.'),
    {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Makes retries safe: for 24 hours, the same request with the same key returns the copy of the first one. ' +
        'A quoted string, such as "5f0c7a52-92b0-4a9e-8f0a-1c7d4c9f3b11"; the quotes may be left out.',
      schema: { type: 'string', minLength: 1, maxLength: 2 * MAX_KEY_LENGTH + 2 },
    },
  ],
  requestBody: { required: true, content: jsonContent(ref('CloneFeatureRequest')) },
  responses: responses({ schema: 'Feature', description: 'The new feature.', isCacheable: false }, [
    'PatternError',
    'ExceedsLimitError',
    'ForbiddenError',
    'InvalidOperationError',
    'NotFoundError',
    'NameExistsError',
    'IdempotencyKeyError',
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
