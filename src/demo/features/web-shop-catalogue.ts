import { featuresOf, off, on, simple, team } from '../feature-spec.js';
import { defaultStrategy, listConstraint, rollout, variant } from '../strategies.js';

export const CATALOGUE = featuresOf('web-shop', ['development', 'staging', 'production'])([
  {
    name: 'product-page-video',
    type: 'experiment',
    description: 'Does a video sell more boots than a picture?',
    by: 'member',
    created: -28,
    impressionData: true,
    tags: [team('catalogue'), simple('ab-test')],
    favoriteOf: ['viewer'],
    changesPerWeek: 5,
    environments: {
      development: on(defaultStrategy())(),
      production: on(
        rollout(80, {
          from: [20, 40],
          stickiness: 'userId',
          variants: [
            variant('control', 334, { stickiness: 'userId' }),
            variant('short-video', 333, {
              stickiness: 'userId',
              payload: { type: 'json', value: '{"seconds":15,"autoplay":true}' },
            }),
            variant('long-video', 333, {
              stickiness: 'userId',
              payload: { type: 'json', value: '{"seconds":90,"autoplay":false}' },
            }),
          ],
        }),
      )({ after: 3 }),
    },
  },
  {
    name: 'product-recommendations',
    type: 'experiment',
    description: 'Which model picks what is shown below the product',
    previousDescription: null,
    by: 'owner',
    created: -66,
    impressionData: true,
    tags: [team('catalogue')],
    environments: {
      development: on(defaultStrategy())({
        variants: [
          { ...variant('bestsellers', 500, { payload: { type: 'string', value: 'top-50' } }) },
          {
            ...variant('similar', 500, { payload: { type: 'csv', value: 'category,brand,price' } }),
            overrides: [
              { values: ['1007', '1013'], contextName: 'userId' },
              { values: ['SE'], contextName: 'country' },
            ],
          },
        ],
      }),
      production: on(rollout(100, { from: [50], stickiness: 'random' }))({
        after: 5,
        variants: [
          variant('bestsellers', 450),
          variant('handpicked', 100, {
            weightType: 'fix',
            payload: { type: 'number', value: '7' },
          }),
          variant('similar', 450, { payload: { type: 'json', value: '{"model":"v2","k":12}' } }),
        ],
      }),
    },
  },
  {
    name: 'search-synonyms',
    type: 'release',
    description: '“Anorak” finds “Windjacke”, 「レインコート」 and «дождевик» too 🧥',
    by: 'wildcard',
    created: -12,
    tags: [team('catalogue')],
    environments: {
      development: on(defaultStrategy())(),
      staging: on(defaultStrategy())({ after: 1, seen: 30 }),
      production: off(
        rollout(10, { constraints: [listConstraint('country', 'NOT_IN', ['JP'])] }),
      )(),
    },
  },
  {
    name: 'search-typo-tolerance',
    type: 'release',
    description: 'Finds “tnet” when “tent” was meant',
    by: 'owner',
    created: -75,
    stale: -22,
    environments: {
      development: on(defaultStrategy())({ seen: 200 }),
      production: on(rollout(100, { from: [30] }))({ after: 10, seen: 190 }),
    },
  },
]);
