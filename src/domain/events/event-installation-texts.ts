import { changesText, changeText } from './event-changes.js';
import { escapeMarkdown } from './event-markdown.js';
import { field } from './event-payload.js';
import {
  actionOn,
  authorAction,
  type EventText,
  type EventTexts,
  updated,
} from './event-phrases.js';
import { strategyChanges } from './event-strategy-changes.js';
import { named } from './event-text-parts.js';

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
  'strategy-created': {
    label: 'Strategy type created',
    text: actionOn('created', 'strategy type'),
  },
  'strategy-updated': { label: 'Strategy type updated', text: updated('strategy type') },
  'strategy-deleted': {
    label: 'Strategy type deleted',
    text: actionOn('deleted', 'strategy type'),
  },
  'strategy-deprecated': {
    label: 'Strategy type deprecated',
    text: actionOn('deprecated', 'strategy type'),
  },
  'strategy-reactivated': {
    label: 'Strategy type reactivated',
    text: actionOn('reactivated', 'strategy type'),
  },
  'strategy-import': {
    label: 'Strategy type imported',
    text: actionOn('imported', 'strategy type'),
  },
  'drop-strategies': {
    label: 'All strategy types removed',
    text: authorAction('removed all strategy types'),
  },
  'default-strategy-updated': {
    label: 'Default strategy updated',
    text: (event) =>
      `${event.who} updated the default strategy${event.place}${strategyChanges(event.data, event.preData)}`,
  },
  'feature-type-updated': {
    label: 'Feature type updated',
    text: (event) => {
      const lifetime = changeText(
        'lifetime in days',
        field(event.preData, 'lifetimeDays'),
        field(event.data, 'lifetimeDays'),
      );
      return `${updated('feature type')(event)}${escapeMarkdown(changesText([lifetime]))}`;
    },
  },
  'context-field-created': {
    label: 'Context field created',
    text: actionOn('created', 'context field', ['name']),
  },
  'context-field-updated': {
    label: 'Context field updated',
    text: updated('context field', ['name']),
  },
  'context-field-deleted': {
    label: 'Context field deleted',
    text: actionOn('deleted', 'context field', ['name']),
  },
  'segment-created': { label: 'Segment created', text: actionOn('created', 'segment') },
  'segment-updated': { label: 'Segment updated', text: updated('segment') },
  'segment-deleted': { label: 'Segment deleted', text: actionOn('deleted', 'segment') },
  'segment-import': { label: 'Segment imported', text: actionOn('imported', 'segment') },
  'tag-created': { label: 'Tag created', text: tag('created') },
  'tag-deleted': { label: 'Tag deleted', text: tag('deleted') },
  'tag-import': { label: 'Tag imported', text: tag('imported') },
  'drop-tags': { label: 'All tags removed', text: authorAction('removed all tags') },
  'tag-type-created': { label: 'Tag type created', text: actionOn('created', 'tag type') },
  'tag-type-updated': { label: 'Tag type updated', text: updated('tag type') },
  'tag-type-deleted': { label: 'Tag type deleted', text: actionOn('deleted', 'tag type') },
  'tag-type-import': { label: 'Tag type imported', text: actionOn('imported', 'tag type') },
  'drop-tag-types': { label: 'All tag types removed', text: authorAction('removed all tag types') },
  'environment-created': { label: 'Environment created', text: environment('created') },
  'environment-updated': { label: 'Environment updated', text: environment('updated') },
  'environment-deleted': { label: 'Environment deleted', text: environment('deleted') },
  'environment-import': { label: 'Environment imported', text: environment('imported') },
  'drop-environments': {
    label: 'All environments removed',
    text: authorAction('removed all environments'),
  },
  'addon-config-created': {
    label: 'Integration created',
    text: actionOn('created', 'integration', PROVIDER),
  },
  'addon-config-updated': { label: 'Integration updated', text: updated('integration', PROVIDER) },
  'addon-config-deleted': {
    label: 'Integration deleted',
    text: actionOn('deleted', 'integration', PROVIDER),
  },
  'signal-endpoint-created': {
    label: 'Signal endpoint created',
    text: actionOn('created', 'signal endpoint'),
  },
  'signal-endpoint-updated': { label: 'Signal endpoint updated', text: updated('signal endpoint') },
  'signal-endpoint-deleted': {
    label: 'Signal endpoint deleted',
    text: actionOn('deleted', 'signal endpoint'),
  },
  'signal-endpoint-token-created': {
    label: 'Signal endpoint token created',
    text: actionOn('created', 'signal endpoint token'),
  },
  'signal-endpoint-token-updated': {
    label: 'Signal endpoint token updated',
    text: updated('signal endpoint token'),
  },
  'signal-endpoint-token-deleted': {
    label: 'Signal endpoint token deleted',
    text: actionOn('deleted', 'signal endpoint token'),
  },
  'release-plan-template-created': {
    label: 'Release plan template created',
    text: actionOn('created', 'release plan template'),
  },
  'release-plan-template-updated': {
    label: 'Release plan template updated',
    text: updated('release plan template'),
  },
  'release-plan-template-deleted': {
    label: 'Release plan template deleted',
    text: actionOn('deleted', 'release plan template'),
  },
  'release-plan-template-archived': {
    label: 'Release plan template archived',
    text: actionOn('archived', 'release plan template'),
  },
  'banner-created': { label: 'Banner created', text: actionOn('created', 'banner', ['message']) },
  'banner-updated': { label: 'Banner updated', text: updated('banner', ['message']) },
  'banner-deleted': { label: 'Banner deleted', text: actionOn('deleted', 'banner', ['message']) },
  'setting-created': { label: 'Setting created', text: actionOn('created', 'setting') },
  'setting-updated': { label: 'Setting updated', text: updated('setting') },
  'setting-deleted': { label: 'Setting deleted', text: actionOn('deleted', 'setting') },
  'db-pool-update': {
    label: 'Database pool updated',
    text: authorAction('reported the state of the database connection pool'),
  },
  'application-created': {
    label: 'Application created',
    text: actionOn('created', 'application', APPLICATION),
  },
  'client-register': {
    label: 'Client registered',
    text: actionOn('registered', 'application', APPLICATION),
  },
  'client-metrics': {
    label: 'Client metrics received',
    text: actionOn('sent metrics of', 'application', APPLICATION),
  },
} satisfies EventTexts;
