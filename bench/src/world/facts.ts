/** Constants that the generator and the cases share. */

export const FEATURE_COUNT = 5_000;
export const ARCHIVED_COUNT = 100;
export const USER_COUNT = 50;
/** Number of people who work on one feature. */
export const TEAM_SIZE = 5;
export const DELIVERY_COUNT = 10_000;
export const SEGMENT_COUNT = 10;

/** Contains a fifth of all features. */
export const LARGE_PROJECT = 'storefront';

/** Projects in the order in which features are assigned; Unleash creates the first one. */
export const OTHER_PROJECTS = [
  'default',
  'accounts',
  'analytics',
  'billing',
  'catalogue',
  'delivery',
  'fraud',
  'identity',
  'loyalty',
  'mailing',
  'mobile',
  'onboarding',
  'orders',
  'partners',
  'payments',
  'pricing',
  'returns',
  'stock',
  'support',
] as const;

export const ALL_PROJECTS = [LARGE_PROJECT, ...OTHER_PROJECTS] as const;

/** Name of the feature with this number, from 1. The first ones have the most events. */
export const featureNumbered = (number: number): string =>
  `feature-${String(number).padStart(5, '0')}`;

/** From the most to the least frequent type. Feature types have a feature, the others don't. */
export const EVENT_TYPES = [
  'feature-environment-enabled',
  'feature-strategy-update',
  'feature-environment-disabled',
  'feature-strategy-add',
  'feature-updated',
  'feature-metadata-updated',
  'feature-created',
  'feature-strategy-remove',
  'feature-tagged',
  'feature-environment-variants-updated',
  'feature-archived',
  'feature-stale-on',
  'user-updated',
  'feature-project-change',
  'strategy-order-changed',
  'feature-favorited',
  'feature-untagged',
  'feature-stale-off',
  'segment-updated',
  'feature-completed',
  'feature-unfavorited',
  'feature-type-updated',
  'api-token-created',
  'feature-revived',
  'feature-dependency-added',
  'project-updated',
  'feature-deleted',
  'user-created',
  'project-user-added',
  'segment-created',
  'feature-dependency-removed',
  'api-token-deleted',
  'project-environment-added',
  'addon-config-updated',
  'group-updated',
  'project-created',
  'context-field-updated',
  'setting-updated',
  'role-updated',
  'project-favorited',
] as const;

/** Words of which texts in events consist. */
export const WORDS = [
  'gradual',
  'release',
  'internal',
  'customers',
  'beta',
  'region',
  'mobile',
  'desktop',
  'premium',
  'holiday',
  'experiment',
  'rollback',
  'traffic',
  'support',
  'checkout',
  'search',
] as const;

/** No event has several of them in a row. */
export const ABSENT_LETTERS = ['q', 'x', 'z', 'j', 'w', 'k', 'v'] as const;

/** Other words: in three events, and in one of 25. */
export const RARE_WORD = 'zanzibar';
export const COMMON_WORD = 'lighthouse';
export const RARE_COUNT = 3;

export const FIRST_TIMESTAMP = '2024-01-01T00:00:00Z';
export const SPAN_DAYS = 730;

export const INTEGRATION_ID = 1;

export const CLONE_SOURCE = 'feature-00101';
