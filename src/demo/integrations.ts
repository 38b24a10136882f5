import type { PersonKey } from './people.js';

const FEATURE_EVENTS = [
  'feature-created',
  'feature-archived',
  'feature-environment-enabled',
  'feature-environment-disabled',
  'feature-strategy-add',
  'feature-strategy-update',
  'feature-strategy-remove',
  'feature-stale-on',
  'feature-tagged',
] as const;

const SWITCHES = ['feature-environment-enabled', 'feature-environment-disabled'] as const;

export type IntegrationSpec = {
  id: number;
  provider: 'webhook' | 'slack' | 'teams' | 'datadog' | 'new-relic';
  description: string | null;
  enabled: boolean;
  parameters: Readonly<Record<string, string>>;
  events: readonly string[];
  projects: readonly string[];
  environments: readonly string[];
  by: PersonKey;
  created: number;
  /** Number of most recent deliveries on record; `until` is the day on which deliveries stopped. */
  maxDeliveries: number;
  until?: number;
};

export const INTEGRATIONS: readonly IntegrationSpec[] = [
  {
    id: 1,
    provider: 'webhook',
    description: 'Deployment board',
    enabled: true,
    parameters: {
      url: 'https://board.harbour-pine.example/hooks/features',
      contentType: 'application/json',
    },
    events: FEATURE_EVENTS,
    projects: [],
    environments: [],
    by: 'rootAdmin',
    created: -84,
    maxDeliveries: 60,
  },
  {
    id: 2,
    provider: 'slack',
    description: 'What changes for customers',
    enabled: true,
    parameters: {
      url: 'https://chat.harbour-pine.example/services/demo',
      defaultChannel: 'releases',
      username: 'Feature bot',
    },
    events: SWITCHES,
    projects: ['web-shop', 'mobile'],
    environments: ['production'],
    by: 'rootAdmin',
    created: -80,
    maxDeliveries: 25,
  },
  {
    id: 3,
    provider: 'teams',
    description: null,
    enabled: true,
    parameters: { url: 'https://teams.harbour-pine.example/incoming/demo' },
    events: ['feature-created', 'feature-archived', 'feature-stale-on'],
    projects: ['*'],
    environments: ['*'],
    by: 'rootAdmin',
    created: -62,
    maxDeliveries: 15,
  },
  {
    id: 4,
    provider: 'datadog',
    description: 'Marks changes in the graphs',
    enabled: true,
    parameters: {
      url: 'https://metrics.harbour-pine.example/api/v1/events',
      apiKey: 'demo-not-a-key',
    },
    events: SWITCHES,
    projects: [],
    environments: ['production'],
    by: 'rootAdmin',
    created: -55,
    maxDeliveries: 30,
  },
  {
    id: 5,
    provider: 'webhook',
    description: 'Old deployment board, switched off – „bitte nicht löschen“',
    enabled: false,
    parameters: {
      url: 'https://old-board.harbour-pine.example/hook',
      customHeaders: '{not json',
      bodyTemplate: '{{event.type}} by {{event.createdBy}}',
    },
    events: FEATURE_EVENTS,
    projects: ['legacy-portal', 'default'],
    environments: [],
    by: 'rootAdmin',
    created: -90,
    maxDeliveries: 12,
    until: -30,
  },
  {
    id: 6,
    provider: 'new-relic',
    description: 'Nothing delivered so far',
    enabled: true,
    parameters: {
      url: 'https://metrics.harbour-pine.example/v1/new',
      licenseKey: 'demo-not-a-key',
    },
    events: ['change-request-scheduled-application-failure'],
    projects: ['lab'],
    environments: [],
    by: 'rootAdmin',
    created: -7,
    maxDeliveries: 0,
  },
];
