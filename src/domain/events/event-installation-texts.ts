import { changesWords, changeWords } from './event-changes.js';
import { escapeMarkdown } from './event-markdown.js';
import { field } from './event-payload.js';
import { did, type EventText, type EventTexts, plainly, updated } from './event-phrases.js';
import { named } from './event-reader.js';
import { strategyChanges } from './event-strategy-changes.js';

const tag =
  (verb: string): EventText['text'] =>
  (event) => {
    const name = [event.now('type'), event.now('value')].filter(Boolean).join(':');
    return `${event.who} ${verb} ${named('tag', name)}`;
  };

const environment =
  (verb: string): EventText['text'] =>
  (event) => {
    const subject = event.environment || named('environment', event.now('name'));
    return `${event.who} ${verb} ${subject}${event.inProject}`;
  };

const PROVIDER = ['provider'];
const APPLICATION = ['appName', 'name'];

export const INSTALLATION_TEXTS = {
  'strategy-created': { label: 'Strategy type created', text: did('created', 'strategy type') },
  'strategy-updated': { label: 'Strategy type updated', text: updated('strategy type') },
  'strategy-deleted': { label: 'Strategy type deleted', text: did('deleted', 'strategy type') },
  'strategy-deprecated': {
    label: 'Strategy type deprecated',
    text: did('deprecated', 'strategy type'),
  },
  'strategy-reactivated': {
    label: 'Strategy type reactivated',
    text: did('reactivated', 'strategy type'),
  },
  'strategy-import': { label: 'Strategy type imported', text: did('imported', 'strategy type') },
  'drop-strategies': {
    label: 'All strategy types removed',
    text: plainly('removed all strategy types'),
  },
  'default-strategy-updated': {
    label: 'Default strategy updated',
    text: (event) =>
      `${event.who} updated the default strategy${event.place}${strategyChanges(event.data, event.preData)}`,
  },
  'feature-type-updated': {
    label: 'Feature type updated',
    text: (event) => {
      const lifetime = changeWords(
        'lifetime in days',
        field(event.preData, 'lifetimeDays'),
        field(event.data, 'lifetimeDays'),
      );
      return `${updated('feature type')(event)}${escapeMarkdown(changesWords([lifetime]))}`;
    },
  },
  'context-field-created': {
    label: 'Context field created',
    text: did('created', 'context field', ['name']),
  },
  'context-field-updated': {
    label: 'Context field updated',
    text: updated('context field', ['name']),
  },
  'context-field-deleted': {
    label: 'Context field deleted',
    text: did('deleted', 'context field', ['name']),
  },
  'segment-created': { label: 'Segment created', text: did('created', 'segment') },
  'segment-updated': { label: 'Segment updated', text: updated('segment') },
  'segment-deleted': { label: 'Segment deleted', text: did('deleted', 'segment') },
  'segment-import': { label: 'Segment imported', text: did('imported', 'segment') },
  'tag-created': { label: 'Tag created', text: tag('created') },
  'tag-deleted': { label: 'Tag deleted', text: tag('deleted') },
  'tag-import': { label: 'Tag imported', text: tag('imported') },
  'drop-tags': { label: 'All tags removed', text: plainly('removed all tags') },
  'tag-type-created': { label: 'Tag type created', text: did('created', 'tag type') },
  'tag-type-updated': { label: 'Tag type updated', text: updated('tag type') },
  'tag-type-deleted': { label: 'Tag type deleted', text: did('deleted', 'tag type') },
  'tag-type-import': { label: 'Tag type imported', text: did('imported', 'tag type') },
  'drop-tag-types': { label: 'All tag types removed', text: plainly('removed all tag types') },
  'environment-created': { label: 'Environment created', text: environment('created') },
  'environment-updated': { label: 'Environment updated', text: environment('updated') },
  'environment-deleted': { label: 'Environment deleted', text: environment('deleted') },
  'environment-import': { label: 'Environment imported', text: environment('imported') },
  'drop-environments': {
    label: 'All environments removed',
    text: plainly('removed all environments'),
  },
  'addon-config-created': {
    label: 'Integration created',
    text: did('created', 'integration', PROVIDER),
  },
  'addon-config-updated': { label: 'Integration updated', text: updated('integration', PROVIDER) },
  'addon-config-deleted': {
    label: 'Integration deleted',
    text: did('deleted', 'integration', PROVIDER),
  },
  'signal-endpoint-created': {
    label: 'Signal endpoint created',
    text: did('created', 'signal endpoint'),
  },
  'signal-endpoint-updated': { label: 'Signal endpoint updated', text: updated('signal endpoint') },
  'signal-endpoint-deleted': {
    label: 'Signal endpoint deleted',
    text: did('deleted', 'signal endpoint'),
  },
  'signal-endpoint-token-created': {
    label: 'Signal endpoint token created',
    text: did('created', 'signal endpoint token'),
  },
  'signal-endpoint-token-updated': {
    label: 'Signal endpoint token updated',
    text: updated('signal endpoint token'),
  },
  'signal-endpoint-token-deleted': {
    label: 'Signal endpoint token deleted',
    text: did('deleted', 'signal endpoint token'),
  },
  'release-plan-template-created': {
    label: 'Release plan template created',
    text: did('created', 'release plan template'),
  },
  'release-plan-template-updated': {
    label: 'Release plan template updated',
    text: updated('release plan template'),
  },
  'release-plan-template-deleted': {
    label: 'Release plan template deleted',
    text: did('deleted', 'release plan template'),
  },
  'release-plan-template-archived': {
    label: 'Release plan template archived',
    text: did('archived', 'release plan template'),
  },
  'banner-created': { label: 'Banner created', text: did('created', 'banner', ['message']) },
  'banner-updated': { label: 'Banner updated', text: updated('banner', ['message']) },
  'banner-deleted': { label: 'Banner deleted', text: did('deleted', 'banner', ['message']) },
  'setting-created': { label: 'Setting created', text: did('created', 'setting') },
  'setting-updated': { label: 'Setting updated', text: updated('setting') },
  'setting-deleted': { label: 'Setting deleted', text: did('deleted', 'setting') },
  'db-pool-update': {
    label: 'Database pool updated',
    text: plainly('reported the state of the database connection pool'),
  },
  'application-created': {
    label: 'Application created',
    text: did('created', 'application', APPLICATION),
  },
  'client-register': {
    label: 'Client registered',
    text: did('registered', 'application', APPLICATION),
  },
  'client-metrics': {
    label: 'Client metrics received',
    text: did('sent metrics of', 'application', APPLICATION),
  },
} satisfies EventTexts;
