import { SEGMENT } from '../building-blocks.js';
import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import { defaultStrategy, listConstraint, rollout, users, valueConstraint } from '../strategies.js';

export const CAMPAIGNS = featuresOf('web-shop', ['development', 'staging', 'production'])([
  {
    name: 'cart-abandon-mail',
    type: 'operational',
    description: 'A mail to customers who left a full cart behind',
    by: 'member',
    created: -40,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(100, {
          constraints: [
            listConstraint('userId', 'STR_CONTAINS', ['@'], { inverted: true }),
            listConstraint('appName', 'STR_STARTS_WITH', ['shop-', 'mail-'], {
              caseInsensitive: true,
            }),
          ],
        }),
      )({ after: 6 }),
    },
  },
  {
    name: 'price-rounding',
    type: 'kill-switch',
    description: 'Rounds prices to five cents; off at once if accounting calls',
    by: 'owner',
    created: -70,
    tags: [team('catalogue'), simple('do-not-remove')],
    environments: {
      development: on(defaultStrategy())(),
      staging: on(defaultStrategy())(),
      production: on(defaultStrategy())({ after: 1 }),
    },
  },
  {
    name: 'banner-summer-sale',
    type: 'release',
    description: 'Summer sale, from its first to its last minute',
    by: 'member',
    created: -20,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        defaultStrategy({
          title: 'While it lasts',
          constraints: [
            valueConstraint('currentTime', 'DATE_AFTER', '2025-06-20T06:00:00.000Z'),
            valueConstraint('currentTime', 'DATE_BEFORE', '2035-08-31T21:59:59.000Z'),
          ],
        }),
      )({ after: 2 }),
    },
  },
  {
    name: 'newsletter-popup',
    type: 'experiment',
    description: null,
    by: 'owner',
    created: -8,
    environments: { development: off(defaultStrategy())() },
  },
  {
    name: 'admin-bulk-edit',
    type: 'permission',
    description: 'Edit many products at once',
    by: 'owner',
    created: -60,
    tags: [team('catalogue')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        users('1001,1007,1013', { from: '1001' }),
        rollout(100, { segments: [SEGMENT.employees] }),
      )({
        after: 2,
        seen: 26,
      }),
    },
  },
  {
    name: 'loyalty-stamps',
    type: 'marketing',
    description: 'Ten orders, one gift',
    by: 'owner',
    created: -64,
    tags: [simple('Übergang')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(30, { constraints: [listConstraint('customerTier', 'IN', ['gold', 'silver'])] }),
      )({
        after: 7,
      }),
    },
  },
  {
    name: 'shop-dark-mode',
    type: 'release',
    description: 'Dark colours',
    by: 'owner',
    created: -84,
    completed: { day: -34, status: 'kept' },
    archived: -30,
    environments: {
      development: on(defaultStrategy())({ seen: 750 }),
      production: on(rollout(100, { from: [10, 60] }))({ after: 12, seen: 740 }),
    },
  },
  {
    name: 'flash-sale-timer',
    type: 'experiment',
    description: 'A clock that makes people hurry',
    by: 'member',
    created: -70,
    stale: -25,
    completed: { day: -14, status: 'discarded' },
    archived: -10,
    environments: {
      development: on(defaultStrategy())({ seen: 400 }),
      production: off(rollout(20, { from: [50] }))({ seen: 600 }),
    },
  },
  {
    name: 'holiday-snow',
    type: 'release',
    description: 'Let it snow',
    by: 'member',
    created: -81,
    archived: -69,
    deleted: -68,
    environments: { development: off(defaultStrategy())() },
  },
]);
