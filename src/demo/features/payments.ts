import { SEGMENT } from '../building-blocks.js';
import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import {
  defaultStrategy,
  listConstraint,
  rollout,
  users,
  valueConstraint,
  variant,
} from '../strategies.js';

export const PAYMENTS = featuresOf('payments', ['development', 'staging', 'production'])([
  {
    name: 'payments-3ds-frictionless',
    type: 'release',
    description: 'Skips the second factor where the bank allows it',
    by: 'owner',
    created: -55,
    tags: [team('payments'), simple('security')],
    environments: {
      development: on(defaultStrategy())(),
      staging: on(defaultStrategy())({ after: 2 }),
      production: on(rollout(75, { from: [5, 20, 40], stickiness: 'userId' }))({ after: 12 }),
    },
  },
  {
    name: 'payments-pay-later',
    type: 'release',
    description: 'Pay in thirty days',
    previousDescription: 'Pay in fourteen days',
    by: 'owner',
    created: -38,
    tags: [team('payments')],
    favoriteOf: ['rootAdmin'],
    environments: {
      development: on(defaultStrategy())(),
      staging: on(rollout(100))({ after: 3 }),
      production: on(
        rollout(25, {
          from: [5],
          segments: [SEGMENT.goldPayers, SEGMENT.betaTesters],
          constraints: [listConstraint('country', 'IN', ['NO', 'SE', 'DE'])],
        }),
        defaultStrategy({ title: 'All users, one day', disabled: true }),
      )({ after: 15 }),
    },
  },
  {
    name: 'payments-wallets',
    type: 'release',
    description: 'Wallets of the phone',
    by: 'wildcard',
    created: -64,
    tags: [team('payments')],
    environments: {
      development: on(defaultStrategy())(),
      staging: on(defaultStrategy())({ after: 1 }),
      production: on(rollout(100, { from: [10, 50] }))({ after: 9 }),
    },
  },
  {
    name: 'payments-fraud-model-b',
    type: 'experiment',
    description: 'Scores payments with a second model as well',
    by: 'owner',
    created: -21,
    impressionData: true,
    environments: {
      development: on(defaultStrategy())(),
      staging: on(
        rollout(100, {
          variants: [
            variant('model-a', 900, { weightType: 'fix' }),
            variant('model-b', 100, { payload: { type: 'json', value: '{"threshold":0.82}' } }),
          ],
        }),
      )({ after: 4 }),
    },
  },
  {
    name: 'payments-refund-self-service',
    type: 'permission',
    description: 'Customers refund themselves, up to a sum',
    by: 'owner',
    created: -44,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        users('1001,1402', { title: 'Pilot' }),
        rollout(100, {
          constraints: [
            listConstraint('customerTier', 'NOT_IN', ['bronze'], { inverted: true }),
            valueConstraint('cartValue', 'NUM_LTE', '50'),
          ],
        }),
      )({ after: 20, seen: 15 }),
    },
  },
  {
    name: 'payments-provider-failover',
    type: 'kill-switch',
    description: 'Sends everything through the second provider',
    by: 'owner',
    created: -81,
    tags: [team('payments'), simple('do-not-remove')],
    environments: {
      development: off(defaultStrategy())(),
      staging: off(defaultStrategy())(),
      production: off(defaultStrategy({ title: 'Only in an emergency' }))({ seen: 2 }),
    },
  },
  {
    name: 'payments-instant-transfer',
    type: 'release',
    description: 'Money from the bank in ten seconds',
    by: 'wildcard',
    created: -9,
    environments: { development: off(defaultStrategy())() },
  },
  {
    name: 'payments-paper-invoice',
    type: 'release',
    description: 'Invoices on paper',
    by: 'owner',
    created: -79,
    stale: -17,
    archived: -5,
    environments: {
      development: on(defaultStrategy())({ seen: 500 }),
      production: off(rollout(10, { from: [100, 50] }))({ seen: 160 }),
    },
  },
]);
