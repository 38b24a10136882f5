import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import { defaultStrategy, listConstraint, rollout, users, variant } from '../strategies.js';

const LONG = [
  'Goes with the accessibility audit of last spring. What is behind this feature:',
  '',
  '* every picture has a text, every form field a label;',
  '* the focus is always to be seen, also in dark mode;',
  '* nothing moves unless asked to.',
  '',
  'Before it is removed, the team has to check with a screen reader that the menu, the search and the checkout ',
  'can be used without a mouse, in all five languages. ',
  'The findings are kept in the team’s own notes; the numbers in brackets refer to them. ',
  ...Array.from({ length: 12 }, (_, i) => `Finding (${i + 1}) was checked again and is settled. `),
].join('\n');

export const DEFAULT = featuresOf('default', ['development', 'production'])([
  {
    name: 'welcome-tour',
    type: 'release',
    description: 'Shows newcomers around',
    by: 'rootAdmin',
    created: -90,
    legacyLastSeen: 20,
    tags: [team('core'), simple('first-steps')],
    favoriteOf: ['editor', 'viewer'],
    environments: {
      development: on(defaultStrategy())(),
      production: on(rollout(100, { from: [20, 70] }))({ after: 4 }),
    },
  },
  {
    name: 'maintenance-banner',
    type: 'kill-switch',
    description: 'Announces that maintenance is in progress',
    by: 'rootAdmin',
    created: -89,
    environments: {
      development: on(defaultStrategy())(),
      production: off(defaultStrategy())({ seen: 1 }),
    },
  },
  {
    name: 'new-navigation',
    type: 'release',
    description: 'A menu that knows where you are',
    previousDescription: 'Menu',
    by: 'editor',
    created: -14,
    tags: [team('core')],
    favoriteOf: ['customRoot'],
    changesPerWeek: 6,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(15, { from: [5], title: 'First readers' }),
        users('1001', { title: 'The one who reported it' }),
      )({ after: 5 }),
    },
  },
  {
    name: 'feedback-widget',
    type: 'experiment',
    description: 'A small box for large complaints',
    by: 'groupMember',
    created: -47,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(40, {
          from: [10],
          variants: [variant('left', 500), variant('right', 500)],
        }),
      )({ after: 3 }),
    },
  },
  {
    name: 'A-B_Test.v1~(draft)',
    type: 'experiment',
    description: 'A name with all the signs a name may have: 100 % "odd", under_scored \\ slashed',
    by: 'customRoot',
    created: -17,
    environments: { development: on(defaultStrategy({ title: '' }))({ seen: null }) },
  },
  {
    name: 'accessibility-audit',
    type: 'operational',
    description: LONG,
    by: 'editor',
    created: -37,
    tags: [team('core'), simple('a11y')],
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(100, {
          constraints: [listConstraint('userId', 'IN', ['1001'], { inverted: true })],
        }),
      )({
        after: 8,
      }),
    },
  },
  {
    name: 'rate-limit-tuning',
    type: 'operational',
    description: null,
    by: 'serviceAccount',
    created: -6,
    environments: {},
  },
  {
    name: 'made-by-token',
    type: 'release',
    description: 'Created with an API token, not by a person',
    by: 'adminToken',
    created: -2,
    environments: { development: off(defaultStrategy())() },
  },
  {
    name: 'yearly-survey',
    type: 'experiment',
    description: 'Archived too early, then brought back',
    by: 'editor',
    created: -58,
    archived: -29,
    revived: -27,
    environments: {
      development: off(defaultStrategy())({ seen: 40 }),
      production: off(rollout(10))({ seen: 45 }),
    },
  },
  {
    name: 'dealer-search',
    type: 'release',
    description: 'Finds the nearest dealer; moved here when the portal closed',
    by: 'deletedUser',
    created: -78,
    legacyLastSeen: 480,
    moved: { day: -23, from: 'legacy-portal' },
    environments: {
      development: on(defaultStrategy())(),
      production: on(rollout(100, { from: [50] }))({ after: 10, seen: 4 }),
    },
  },
]);
