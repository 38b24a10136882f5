import { SEGMENT } from '../building-blocks.js';
import { featuresOf, off, on, team } from '../feature-spec.js';
import {
  addresses,
  defaultStrategy,
  hosts,
  listConstraint,
  rollout,
  stores,
} from '../strategies.js';

/** Six are not archived, which is the project's feature limit. */
export const WAREHOUSE = featuresOf('warehouse', ['development', 'production'])([
  {
    name: 'picking-route-optimizer',
    type: 'experiment',
    description: 'Shorter ways between the shelves',
    by: 'editor',
    created: -72,
    tags: [team('logistics')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        stores('12,15,31', { from: '12', title: 'Three warehouses' }),
        rollout(20),
      )({
        after: 6,
      }),
    },
  },
  {
    name: 'picking-by-voice',
    type: 'operational',
    description: 'The headset says which shelf is next',
    by: 'editor',
    created: -26,
    environments: {
      development: on(defaultStrategy())(),
      production: on(hosts('scanner-01,scanner-02,scanner-03', { from: 'scanner-01' }))({
        after: 4,
      }),
    },
  },
  {
    name: 'stock-sync-v3',
    type: 'release',
    description: 'Stock figures every minute',
    by: 'wildcard',
    created: -50,
    tags: [team('logistics')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(rollout(100, { from: [25, 75], groupId: 'stock-sync' }))({ after: 10 }),
    },
  },
  {
    name: 'label-printer-fallback',
    type: 'kill-switch',
    description: null,
    by: 'editor',
    created: -84,
    environments: {
      development: on(defaultStrategy())(),
      production: on(addresses('192.0.2.80'), hosts('printer-gateway'))({ after: 2, seen: 70 }),
    },
  },
  {
    name: 'robots-night-shift',
    type: 'permission',
    description: 'Lets the robots work alone between 22:00 and 05:00',
    by: 'serviceAccount',
    created: -18,
    environments: {
      development: on(defaultStrategy())(),
      production: off(
        defaultStrategy({ disabled: true, title: 'Not before the safety review' }),
        rollout(10, { disabled: true, segments: [SEGMENT.employees] }),
      )(),
    },
  },
  {
    name: 'returns-grading',
    type: 'release',
    description: 'A, B or C: how worn is the boot?',
    by: 'wildcard',
    created: -31,
    stale: -4,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(100, {
          from: [50],
          constraints: [listConstraint('userId', 'STR_CONTAINS', ['grader'])],
        }),
      )({ after: 7 }),
    },
  },
  {
    name: 'barcode-v1',
    type: 'release',
    description: 'One-dimensional, like in the old days',
    by: 'editor',
    created: -83,
    archived: -60,
    environments: {
      development: on(defaultStrategy())({ seen: 1600 }),
      production: off()({ seen: 1650 }),
    },
  },
]);
