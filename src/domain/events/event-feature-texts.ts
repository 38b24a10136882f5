import { changesText } from './event-changes.js';
import { escapeMarkdown } from './event-markdown.js';
import { field, firstValue, idsText } from './event-payload.js';
import type { EventTexts } from './event-phrases.js';
import { strategyChanges, variantsChange } from './event-strategy-changes.js';
import { type EventTextParts, named } from './event-text-parts.js';

const tag = (event: EventTextParts): string =>
  named(
    'tag',
    [event.now('type', 'tagType'), event.now('value', 'tagValue')].filter(Boolean).join(':'),
  );

const strategy = (event: EventTextParts): string => named('strategy', event.was('title', 'name'));

const variants = ({ data, preData }: EventTextParts): string =>
  escapeMarkdown(changesText([variantsChange(data, preData)]));

const parent = (event: EventTextParts): string =>
  event.featureCalled(firstValue([event.data, event.preData], ['feature']));

const parentCondition = ({ data }: EventTextParts): string => {
  if (field(data, 'enabled') === false) return ' being disabled';

  const variantText = escapeMarkdown(idsText(field(data, 'variants')));
  return variantText === '' ? '' : ` serving variant ${variantText}`;
};

const favorite = (event: EventTextParts): string =>
  event.goneFeature === 'a feature' ? named('feature', event.now('feature')) : event.feature;

const exported = (event: EventTextParts): string => {
  const names = escapeMarkdown(idsText(field(event.data, 'features')));
  const environment = event.place === '' ? event.now('environment') : '';
  const origin = environment === '' ? event.place : ` in environment ${environment}`;
  return `${names === '' ? 'features' : `features ${names}`}${origin}`;
};

export const FEATURE_TEXTS = {
  'feature-created': {
    label: 'Feature created',
    text: (event) => `${event.who} created ${event.feature}${event.place}`,
  },
  'feature-deleted': {
    label: 'Feature deleted',
    text: (event) => `${event.who} deleted ${event.goneFeature}${event.place}`,
  },
  'feature-updated': {
    label: 'Feature updated',
    text: (event) => `${event.who} updated ${event.feature}${event.place}`,
  },
  'feature-metadata-updated': {
    label: 'Feature metadata updated',
    text: (event) => `${event.who} changed the metadata of ${event.feature}${event.place}`,
  },
  'feature-variants-updated': {
    label: 'Feature variants updated',
    text: (event) =>
      `${event.who} changed the variants of ${event.feature}${event.place}${variants(event)}`,
  },
  'feature-environment-variants-updated': {
    label: 'Feature variants updated in an environment',
    text: (event) =>
      `${event.who} changed the variants of ${event.feature}${event.place}${variants(event)}`,
  },
  'feature-project-change': {
    label: 'Feature moved to another project',
    text: (event) => {
      const from = event.projectCalled(firstValue([event.data, event.preData], ['oldProject']));
      return `${event.who} moved ${event.feature} from ${from} to ${event.project}`;
    },
  },
  'feature-archived': {
    label: 'Feature archived',
    text: (event) => `${event.who} archived ${event.goneFeature}${event.place}`,
  },
  'feature-revived': {
    label: 'Feature revived',
    text: (event) => `${event.who} revived ${event.feature}${event.place}`,
  },
  'feature-import': {
    label: 'Feature imported',
    text: (event) => `${event.who} imported ${event.feature}${event.place}`,
  },
  'feature-tagged': {
    label: 'Feature tagged',
    text: (event) => `${event.who} added ${tag(event)} to ${event.feature}${event.place}`,
  },
  'feature-untagged': {
    label: 'Feature untagged',
    text: (event) => `${event.who} removed ${tag(event)} from ${event.feature}${event.place}`,
  },
  'feature-tag-import': {
    label: 'Feature tag imported',
    text: (event) => `${event.who} imported ${tag(event)} for ${event.feature}${event.place}`,
  },
  'drop-feature-tags': {
    label: 'All feature tags removed',
    text: (event) => `${event.who} removed the tags of all features`,
  },
  'feature-strategy-add': {
    label: 'Feature strategy added',
    text: (event) => `${event.who} added ${strategy(event)} to ${event.feature}${event.place}`,
  },
  'feature-strategy-remove': {
    label: 'Feature strategy removed',
    text: (event) => `${event.who} removed ${strategy(event)} from ${event.feature}${event.place}`,
  },
  'feature-strategy-update': {
    label: 'Feature strategy updated',
    text: (event) =>
      `${event.who} updated ${strategy(event)} of ${event.feature}${event.place}${strategyChanges(event.data, event.preData)}`,
  },
  'strategy-order-changed': {
    label: 'Feature strategies reordered',
    text: (event) =>
      `${event.who} changed the order of the strategies of ${event.feature}${event.place}`,
  },
  'feature-completed': {
    label: 'Feature completed',
    text: (event) => `${event.who} marked ${event.feature}${event.place} as completed`,
  },
  'feature-uncompleted': {
    label: 'Feature no longer completed',
    text: (event) => `${event.who} marked ${event.feature}${event.place} as not completed`,
  },
  'feature-stale-on': {
    label: 'Feature marked stale',
    text: (event) => `${event.who} marked ${event.feature}${event.place} as stale`,
  },
  'feature-stale-off': {
    label: 'Feature no longer stale',
    text: (event) => `${event.who} marked ${event.feature}${event.place} as no longer stale`,
  },
  'feature-potentially-stale-on': {
    label: 'Feature potentially stale',
    text: (event) => `${event.who} marked ${event.feature}${event.place} as potentially stale`,
  },
  'feature-environment-enabled': {
    label: 'Feature enabled',
    text: (event) => `${event.who} enabled ${event.feature}${event.place}`,
  },
  'feature-environment-disabled': {
    label: 'Feature disabled',
    text: (event) => `${event.who} disabled ${event.feature}${event.place}`,
  },
  'feature-favorited': {
    label: 'Feature favorited',
    text: (event) => `${event.who} added ${favorite(event)}${event.place} to the favorites`,
  },
  'feature-unfavorited': {
    label: 'Feature unfavorited',
    text: (event) => `${event.who} removed ${favorite(event)}${event.place} from the favorites`,
  },
  'feature-dependency-added': {
    label: 'Feature dependency added',
    text: (event) =>
      `${event.who} made ${event.feature}${event.place} depend on ${parent(event)}${parentCondition(event)}`,
  },
  'feature-dependency-removed': {
    label: 'Feature dependency removed',
    text: (event) =>
      `${event.who} made ${event.feature}${event.place} independent of ${parent(event)}`,
  },
  'feature-dependencies-removed': {
    label: 'Feature dependencies removed',
    text: (event) => `${event.who} removed every dependency of ${event.feature}${event.place}`,
  },
  'drop-features': {
    label: 'All features removed',
    text: (event) => `${event.who} removed all features`,
  },
  'features-exported': {
    label: 'Features exported',
    text: (event) => `${event.who} exported ${exported(event)}`,
  },
  'features-imported': {
    label: 'Features imported',
    text: (event) => `${event.who} imported features${event.place}`,
  },
  'release-plan-added': {
    label: 'Release plan added',
    text: (event) =>
      `${event.who} added ${named('release plan', event.now('name'))} to ${event.feature}${event.place}`,
  },
  'release-plan-removed': {
    label: 'Release plan removed',
    text: (event) =>
      `${event.who} removed ${named('release plan', event.was('name'))} from ${event.feature}${event.place}`,
  },
  'release-plan-milestone-started': {
    label: 'Release plan milestone started',
    text: (event) => {
      const milestone = named('milestone', event.now('milestoneName'));
      const plan = named('release plan', event.now('name'));
      return `${event.who} started ${milestone} of ${plan} for ${event.feature}${event.place}`;
    },
  },
} satisfies EventTexts;
