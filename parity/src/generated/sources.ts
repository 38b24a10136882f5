import fc from 'fast-check';
import type { FeatureByHand } from '../world/features.js';
import type { Row } from '../world/sql.js';
import type { World } from '../world/world.js';

const NAME = 'generated-source';

const LIST_OPERATORS = ['IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH'];
const SINGLE_OPERATORS = [
  'NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE', 'DATE_AFTER', 'DATE_BEFORE', 'SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT',
];
const FIELDS = ['userId', 'appName', 'tier', 'level', 'empty-list', 'currentTime'];
const SINGLE_VALUES = ['1', '42', '-1.5', '1e5', ' 5 ', '2024-01-01', '2024-01-01T00:00:00Z', '1.2.3', '1.2.3-beta.1', '=1.2.3', 'v1.2.3', '1.2', '01.2.3', 'gold', '', 'x', '0x10', 'Infinity', '1,5', '1700000000000', '12/24/2024', '9007199254740993', '.5'];
const LIST_VALUES = ['a', 'gold', 'silver', 'tin', '1', '42', 'ä', 'a b', ' ', 'x'.repeat(100)];

const seldom = <Value>(often: fc.Arbitrary<Value>, odd: fc.Arbitrary<Value>, weight = 12) =>
  fc.oneof({ weight, arbitrary: often }, { weight: 1, arbitrary: odd });

const oddValue = fc.constantFrom<unknown>(null, 0, 5, true, false, '', [], {}, 'text', ['x'], -1, 1.5);

const listConstraint = fc.record({
  contextName: fc.constantFrom(...FIELDS),
  operator: fc.constantFrom(...LIST_OPERATORS),
  values: seldom<unknown>(fc.array(fc.constantFrom(...LIST_VALUES), { minLength: 1, maxLength: 3 }), oddValue),
});

const singleConstraint = fc.record({
  contextName: fc.constantFrom(...FIELDS),
  operator: fc.constantFrom(...SINGLE_OPERATORS),
  value: seldom<unknown>(fc.constantFrom<unknown>(...SINGLE_VALUES), oddValue, 6),
});

const switches = fc.record(
  {
    inverted: seldom<unknown>(fc.boolean(), fc.constantFrom<unknown>('true', 'False', 'x', null, 1)),
    caseInsensitive: seldom<unknown>(fc.boolean(), fc.constantFrom<unknown>('true', '', 0)),
  },
  { requiredKeys: [] },
);

const furtherKeys = seldom<Row>(fc.constant({}), fc.constantFrom<Row>({ values: [] }, { value: '5' }, { note: 'x' }, { value: null }), 5);

const constraint = fc
  .tuple(fc.oneof(listConstraint, singleConstraint), switches, furtherKeys)
  .map(([base, flags, more]): Row => ({ ...more, ...base, ...flags }));

const payload = fc.record({
  type: fc.constantFrom('string', 'json', 'csv', 'number', 'odd'),
  value: seldom<unknown>(fc.constantFrom<unknown>('x', '{"a":1}', '[1]', '5', 'true', '"s"', '{', '1,2'), fc.constantFrom<unknown>('', null, 5)),
});

const variant = fc.record(
  {
    name: seldom<unknown>(fc.constantFrom<unknown>('a', 'b', 'C', 'd-1', 'é', 'z'), fc.constantFrom<unknown>('', 'a b', null, 5, 'x'.repeat(101))),
    weight: seldom<unknown>(fc.constantFrom<unknown>(0, 1, 100, 333, 500, 1000), fc.constantFrom<unknown>('100', -1, 1001, 0.5, null, 'x', '')),
    weightType: seldom<unknown>(fc.constantFrom<unknown>('variable', 'fix'), fc.constantFrom<unknown>('other', null, ''), 20),
    stickiness: seldom<unknown>(fc.constantFrom<unknown>('default', 'userId'), fc.constantFrom<unknown>('', null), 20),
    payload,
    overrides: fc.constantFrom<unknown>([], [{ contextName: 'userId', values: ['1'] }], [{ contextName: 'userId' }], null, [{}]),
  },
  { requiredKeys: ['name', 'weight', 'weightType'] },
);

const parameters = fc.oneof(
  fc.record(
    {
      rollout: fc.constantFrom<unknown>('0', '50', '100', 50, null, ''),
      stickiness: fc.constantFrom<unknown>('default', 'userId', '', null, 'random'),
      groupId: fc.constantFrom<unknown>('g', '', null, 5, NAME),
      userIds: fc.constantFrom<unknown>('a,b', ''),
      n: fc.constantFrom<unknown>(1, 1.5, true, null, {}, [1, 'x'], { a: { b: 1 } }),
      10: fc.constant<unknown>('ten'),
      9: fc.constant<unknown>('nine'),
    },
    { requiredKeys: [] },
  ),
  fc.constant({}),
);

const ENVIRONMENTS = ['development', 'production', 'staging', 'live-eu'];

/** Features that only SQL can create: strategies with any value the columns accept. */
export const createSources = ({ segments }: World): fc.Arbitrary<FeatureByHand> => {
  const segmentIds = ['everywhere', 'second', 'default only', 'alpha only'].flatMap((name) => segments[name] ?? []);
  const strategy = fc.record(
    {
      strategy_name: seldom(fc.constantFrom('flexibleRollout', 'default', 'userWithId', 'grouped'), fc.constantFrom('doomed', 'no-such-type'), 25),
      environment: fc.constantFrom(...ENVIRONMENTS),
      title: fc.constantFrom<string | null>(null, '', 'A title'),
      disabled: fc.constantFrom<boolean | null>(true, false, null),
      sort_order: fc.constantFrom(0, 1, 5, 9999),
      parameters,
      constraints: fc.oneof({ weight: 2, arbitrary: fc.constant<Row[]>([]) }, { weight: 1, arbitrary: fc.array(constraint, { minLength: 1, maxLength: 2 }) }),
      variants: fc.oneof({ weight: 3, arbitrary: fc.constant<Row[]>([]) }, { weight: 1, arbitrary: fc.array(variant, { minLength: 1, maxLength: 3 }) }),
      segments: fc.subarray(segmentIds, { maxLength: 2 }),
    },
    { requiredKeys: ['environment', 'strategy_name'] },
  );
  const environmentVariants = fc.array(variant, { maxLength: 2 });
  return fc
    .record({
      facts: fc.record(
        {
          type: seldom<string | null>(fc.constantFrom<string | null>('release', 'experiment', 'odd'), fc.constant(null), 25),
          description: fc.constantFrom<string | null>(null, '', 'some "text" ✓'),
          stale: seldom<boolean | null>(fc.boolean(), fc.constant(null), 25),
          impression_data: seldom<boolean | null>(fc.boolean(), fc.constant(null), 25),
        },
        { requiredKeys: [] },
      ),
      environments: fc.subarray(ENVIRONMENTS, { minLength: 1 }),
      variants: seldom(fc.constant<Row[]>([]), environmentVariants, 3),
      // At most one, so that both sides find the same fault first.
      strategies: fc.array(strategy, { maxLength: 1 }),
    })
    .map(({ facts, environments, variants, strategies }) => ({
      name: NAME,
      facts,
      environments: environments.map((environment) => ({ environment, variants })),
      strategies,
    }));
};
