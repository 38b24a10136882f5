import { SEGMENT } from '../building-blocks.js';
import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import { defaultStrategy, rollout, users, valueConstraint, variant } from '../strategies.js';

export const CHECKOUT = featuresOf('web-shop', ['development', 'staging', 'production'])([
  {
    name: 'checkout-one-page',
    type: 'release',
    description: 'The whole checkout on one page',
    previousDescription: 'Checkout on one page (spike)',
    by: 'owner',
    created: -86,
    tags: [team('checkout'), simple('q3-goal')],
    favoriteOf: ['owner', 'viewer', 'member'],
    completed: { day: -18, status: 'kept' },
    changesPerWeek: 4,
    environments: {
      development: on(defaultStrategy())({ seen: 3 }),
      staging: on(rollout(100))({ after: 2, seen: 5 }),
      production: on(
        rollout(100, {
          from: [1, 10, 25, 50],
          title: 'All users, step by step',
          variants: [variant('roomy', 500), variant('tight', 500)],
        }),
      )({ after: 9, seen: 1 }),
    },
  },
  {
    name: 'checkout-address-autocomplete',
    type: 'release',
    description: 'Suggests addresses while typing',
    by: 'member',
    created: -52,
    tags: [team('checkout')],
    parent: { feature: 'checkout-one-page', enabled: true, variants: [] },
    environments: {
      development: on(defaultStrategy())(),
      staging: on(rollout(100, { stickiness: 'userId' }))({ after: 1 }),
      production: on(
        rollout(50, {
          from: [10],
          stickiness: 'userId',
          title: 'Nordics first',
          segments: [SEGMENT.nordics],
        }),
        users('1001,1402', { from: '1001', title: 'The two who asked' }),
      )({ after: 8 }),
    },
  },
  {
    name: 'checkout-gift-cards',
    type: 'release',
    description: 'Pay with a gift card',
    by: 'owner',
    created: -35,
    tags: [team('checkout')],
    parent: { feature: 'checkout-one-page', enabled: true, variants: ['roomy'] },
    environments: {
      development: on(defaultStrategy())(),
      staging: on(
        rollout(100, {
          constraints: [
            valueConstraint('cartValue', 'NUM_GTE', '25'),
            valueConstraint('cartValue', 'NUM_LT', '1000'),
          ],
        }),
      )({ after: 3 }),
      production: off(
        rollout(5, { constraints: [valueConstraint('cartValue', 'NUM_GTE', '25')] }),
      )(),
    },
  },
  {
    name: 'checkout-classic-hints',
    type: 'operational',
    description: 'Hints for users who still see the old checkout',
    by: 'member',
    created: -30,
    parent: { feature: 'checkout-one-page', enabled: false, variants: [] },
    environments: {
      development: on(defaultStrategy())(),
      production: on(rollout(100))({ after: 4 }),
    },
  },
]);
