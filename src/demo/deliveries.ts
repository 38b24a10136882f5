import { minutesAfter } from './clock.js';
import type { HistoricEvent } from './history/build-history.js';
import type { Json } from './history/event-draft.js';
import { INTEGRATIONS, type IntegrationSpec } from './integrations.js';

/** The event as sent to an integration. */
const deliveredEvent = ({ id, createdAt, ...event }: HistoricEvent) => ({
  id,
  type: event.type,
  createdBy: event.createdBy,
  createdAt: createdAt.toISOString(),
  createdByUserId: event.createdByUserId,
  data: event.data,
  preData: event.preData,
  tags: event.tags,
  featureName: event.featureName,
  project: event.project,
  environment: event.environment,
  ...(event.groupType !== null && { groupType: event.groupType }),
  ...(event.groupId !== null && { groupId: event.groupId }),
});

type Outcome = { state: string; stateDetails: string };

const plain = (what: string, status: number | string, warning?: string): Outcome => {
  const failed = typeof status === 'string' || status >= 400;
  const summary = `${what} ${failed ? 'failed' : 'was successful'} with status code: ${status}.`;
  return {
    state: failed ? 'failed' : warning === undefined ? 'success' : 'successWithErrors',
    stateDetails: warning === undefined ? summary : `${warning}\n${summary}`,
  };
};

const slackOutcome = (n: number): Outcome => {
  if (n % 6 === 5) {
    return {
      state: 'successWithErrors',
      stateDetails: 'Some (1 of 2) Slack webhook requests failed. Status codes: 200, 404.',
    };
  }
  return n % 9 === 7
    ? {
        state: 'failed',
        stateDetails: 'All (1) Slack webhook requests failed with status codes: 503.',
      }
    : {
        state: 'success',
        stateDetails: 'All (1) Slack webhook requests were successful with status codes: 200.',
      };
};

const HEADERS_UNREADABLE = 'Could not parse the JSON in the customHeaders parameter.';

/** Outcome of an integration's n-th delivery; most succeed. */
const outcomeOf = ({ provider, enabled }: IntegrationSpec, n: number): Outcome => {
  switch (provider) {
    case 'webhook':
      if (n % 11 === 10) return plain('Webhook request', n % 2 === 0 ? 500 : 'ECONNREFUSED');
      return plain('Webhook request', 200, enabled ? undefined : HEADERS_UNREADABLE);
    case 'slack':
      return slackOutcome(n);
    case 'teams':
      return plain('Teams webhook request', n % 3 === 2 ? 404 : 200);
    case 'datadog':
      return plain('Datadog Events API request', n % 10 === 4 ? 429 : 202);
    case 'new-relic':
      return plain('New Relic Events API request', 200);
  }
};

const messageOf = ({ createdBy, type, featureName, environment }: HistoricEvent) =>
  `${createdBy}: ${type} – ${featureName ?? 'no feature'}${environment === null ? '' : ` (${environment})`}`;

const detailsOf = ({ provider, parameters }: IntegrationSpec, event: HistoricEvent): Json => {
  const url = parameters['url'] ?? '';
  const message = messageOf(event);
  switch (provider) {
    case 'webhook':
      return parameters['bodyTemplate'] === undefined
        ? { url, body: deliveredEvent(event), contentType: 'application/json' }
        : { url, body: `${event.type} by ${event.createdBy}`, contentType: 'text/plain' };
    case 'slack': {
      const username = parameters['username'] ?? '';
      return { url, message, channels: [parameters['defaultChannel'] ?? 'general'], username };
    }
    case 'teams':
      return {
        url,
        body: { themeColor: '0076D7', summary: 'Message', sections: [{ text: message }] },
      };
    case 'datadog':
      return {
        url,
        body: { title: 'Feature changed', text: message, tags: [`type:${event.type}`] },
      };
    case 'new-relic':
      return { url, body: { eventType: 'FeatureEvent', message } };
  }
};

const passes = (list: readonly string[], value: string | null) =>
  list.length === 0 || list[0] === '*' || value === null || list.includes(value);

const wants = (integration: IntegrationSpec, event: HistoricEvent) =>
  integration.events.includes(event.type) &&
  passes(integration.projects, event.project) &&
  passes(integration.environments, event.environment);

/** Retained delivery records of all integrations, oldest first. */
export const deliveriesOf = (history: readonly HistoricEvent[], today: Date) =>
  INTEGRATIONS.flatMap((integration) => {
    const { id, created, until = 0, maxDeliveries } = integration;
    const from = minutesAfter(today, created * 1_440);
    const to = minutesAfter(today, until * 1_440);
    const sent = history.filter(
      (event) => event.createdAt > from && event.createdAt < to && wants(integration, event),
    );
    return sent.slice(Math.max(sent.length - maxDeliveries, 0)).map((event, n) => ({
      integrationId: id,
      createdAt: minutesAfter(event.createdAt, (1 + (n % 5)) / 60),
      ...outcomeOf(integration, n),
      event: deliveredEvent(event),
      details: detailsOf(integration, event),
    }));
  }).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
