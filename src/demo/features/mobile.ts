import { SEGMENT } from '../building-blocks.js';
import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import {
  addresses,
  defaultStrategy,
  listConstraint,
  rollout,
  valueConstraint,
  variant,
} from '../strategies.js';

export const MOBILE = featuresOf('mobile', ['development', 'test', 'production'])([
  {
    name: 'mobile.onboarding-v2',
    type: 'release',
    description: 'Three screens instead of seven',
    previousDescription: 'Fewer screens',
    by: 'member',
    created: -60,
    tags: [team('apps')],
    favoriteOf: ['groupMember', 'rootAdmin'],
    environments: {
      development: on(defaultStrategy())(),
      test: on(rollout(100))({ after: 1 }),
      production: on(
        rollout(90, {
          from: [10, 45],
          stickiness: 'sessionId',
          constraints: [valueConstraint('appVersion', 'SEMVER_GT', '4.1.0')],
        }),
      )({ after: 11 }),
    },
  },
  {
    name: 'mobile.biometric-login',
    type: 'release',
    description: 'Finger or face instead of a password',
    by: 'groupMember',
    created: -25,
    tags: [team('apps'), simple('security')],
    environments: {
      development: on(defaultStrategy())(),
      test: on(
        rollout(100, { constraints: [valueConstraint('appVersion', 'SEMVER_EQ', '4.3.0')] }),
        defaultStrategy({ title: 'Testers', segments: [SEGMENT.betaTesters] }),
      )({ after: 2 }),
      production: off(
        rollout(5, {
          constraints: [valueConstraint('appVersion', 'SEMVER_LT', '4.3.0', { inverted: true })],
        }),
      )(),
    },
  },
  {
    name: 'mobile.push-digest',
    type: 'operational',
    description: 'One push a day instead of many',
    by: 'member',
    created: -5,
    environments: {
      development: on(defaultStrategy())(),
      test: on(defaultStrategy())({ after: 1 }),
    },
  },
  {
    name: 'ios.live-activities',
    type: 'experiment',
    description: 'The parcel on the lock screen',
    by: 'groupMember',
    created: -33,
    impressionData: true,
    tags: [team('apps'), simple('ab-test')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(60, {
          from: [15],
          stickiness: 'sessionId',
          variants: [
            variant('compact', 250, { weightType: 'fix', stickiness: 'sessionId' }),
            variant('map', 750, {
              stickiness: 'sessionId',
              payload: { type: 'string', value: 'zoom=12' },
            }),
          ],
        }),
      )({ after: 5 }),
    },
  },
  {
    name: 'ios.widget-gallery',
    type: 'release',
    description: '',
    by: 'member',
    created: -15,
    environments: {},
  },
  {
    name: 'android.predictive-back',
    type: 'release',
    description: 'Shows where the back gesture leads',
    by: 'groupAdmin',
    created: -48,
    environments: {
      development: on(defaultStrategy())(),
      test: on(defaultStrategy())({ after: 2, seen: 50 }),
      production: on(
        rollout(100, {
          from: [35],
          constraints: [
            valueConstraint('appVersion', 'SEMVER_GT', '4.2.1'),
            valueConstraint('cartValue', 'NUM_LTE', '99.5', { inverted: true }),
          ],
        }),
      )({ after: 9 }),
    },
  },
  {
    name: 'android.material-refresh',
    type: 'release',
    description: 'New colours and corners',
    by: 'member',
    created: -86,
    stale: -31,
    tags: [team('apps')],
    environments: {
      development: on(defaultStrategy())({ seen: 300 }),
      test: on(defaultStrategy())({ after: 1, seen: 300 }),
      production: on(rollout(100, { from: [5, 50] }))({ after: 15, seen: 9 }),
    },
  },
  {
    name: 'mobile.offline-cart',
    type: 'kill-switch',
    description: 'Keeps the cart when the phone has no network',
    by: 'groupMember',
    created: -77,
    tags: [team('apps'), simple('do-not-remove')],
    environments: {
      development: on(defaultStrategy())(),
      test: on(defaultStrategy())(),
      production: on(defaultStrategy({ title: 'Always' }))({ after: 3 }),
    },
  },
  {
    name: 'mobile.maps-provider',
    type: 'operational',
    description: 'Maps from the new provider, first in our own offices',
    by: 'groupMember',
    created: -3,
    environments: {
      development: on(addresses('192.0.2.10,192.0.2.11', { from: '192.0.2.10' }))(),
      production: off(addresses('192.0.2.10', { disabled: true }))(),
    },
  },
  {
    name: 'mobile.price-alerts',
    type: 'release',
    description: 'Notifies users when a watched tent gets cheaper',
    by: 'member',
    created: -38,
    favoriteOf: ['member'],
    environments: {
      development: on(defaultStrategy())(),
      test: on(rollout(100, { constraints: [valueConstraint('cartValue', 'NUM_EQ', '0')] }))({
        after: 3,
      }),
      production: on(
        rollout(25, {
          from: [5],
          constraints: [
            valueConstraint('cartValue', 'NUM_GT', '10'),
            listConstraint('appName', 'STR_ENDS_WITH', ['-app']),
          ],
        }),
      )({ after: 14 }),
    },
  },
  {
    name: 'mobile.old-login',
    type: 'permission',
    description: 'The login of version 3',
    by: 'member',
    created: -82,
    archived: -45,
    environments: {
      development: off(defaultStrategy())({ seen: 1200 }),
      production: off(rollout(0, { from: [100, 40] }))({ seen: 1100 }),
    },
  },
]);
