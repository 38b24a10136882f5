import type { FeatureSpec, StrategySpec } from './clone-world.js';
import { SEGMENTS } from './clone-world.js';

/** A small generator of numbers in [0, 1); the same seed yields the same numbers. */
export const createRandom = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const pick = <Value>(...values: readonly [Value, ...Value[]]): Value =>
    values[int(0, values.length - 1)] ?? values[0];
  const chance = (share: number) => next() < share;
  const list = <Value>(maxLength: number, make: (index: number) => Value): Value[] =>
    Array.from({ length: int(0, maxLength) }, (_, index) => make(index));
  const some = <Value>(values: readonly Value[], share = 0.5) => values.filter(() => chance(share));
  return { int, pick, chance, list, some };
};

export type Random = ReturnType<typeof createRandom>;

const text = ({ pick, int }: Random): string =>
  pick(
    'plain',
    'with "quotes" and \\',
    'Zahlungen 支払い',
    '😀',
    ' ',
    "it's 100%",
    `no ${int(1, 9)}`,
  );

const LISTS = ['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'] as const;
const NUMBERS = ['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'] as const;
const DATES = ['DATE_AFTER', 'DATE_BEFORE'] as const;
const VERSIONS = ['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'] as const;

const operandOf = (random: Random): Record<string, unknown> => {
  const { pick, int, list } = random;
  const free = pick('plan', 'userId', 'appName');
  switch (pick('list', 'legal', 'number', 'date', 'version')) {
    case 'list':
      return {
        contextName: free,
        operator: pick(...LISTS),
        values: [text(random), ...list(3, () => text(random))],
      };
    case 'legal':
      return { contextName: 'country', operator: pick('IN', 'NOT_IN'), values: [pick('no', 'se')] };
    case 'number':
      return {
        contextName: free,
        operator: pick(...NUMBERS),
        value: pick<unknown>('5', '-1.5', '0', int(1, 99)),
      };
    case 'date':
      return {
        contextName: 'currentTime',
        operator: pick(...DATES),
        value: pick('2026-03-01T10:00:00.000Z', '2026-03-01'),
      };
    default:
      return {
        contextName: free,
        operator: pick(...VERSIONS),
        value: pick('1.2.3', '0.0.1-rc.1', '10.20.30'),
      };
  }
};

const constraint = (random: Random) => {
  const { chance, pick } = random;
  return {
    ...operandOf(random),
    ...(chance(0.5) && { inverted: pick<unknown>(true, false, 'true', 'false') }),
    ...(chance(0.5) && { caseInsensitive: pick(true, false) }),
  };
};

const variants = (random: Random) => {
  const { int, pick, chance } = random;
  const count = int(0, 4);
  const variable = int(1, Math.max(1, count));
  return Array.from({ length: count }, (_, index) => ({
    name: `${pick('b', 'A', 'c')}-${index}`,
    weight: int(0, 300),
    weightType: index < variable ? 'variable' : 'fix',
    stickiness: pick('default', 'userId'),
    ...(chance(0.4) && { payload: { type: 'string', value: text(random) } }),
    ...(chance(0.2) && { payload: { type: 'json', value: '{"deep":[1,{"er":null}]}' } }),
    ...(chance(0.2) && { overrides: [{ contextName: 'userId', values: ['7'] }] }),
  }));
};

const parameters = (random: Random): Record<string, unknown> => {
  const { chance, pick, int } = random;
  return {
    ...(chance(0.6) && { rollout: String(int(0, 100)) }),
    ...(chance(0.6) && { stickiness: pick('default', 'random', 'userId', '') }),
    ...(chance(0.6) && { groupId: pick<unknown>('a-group', '', null, 5) }),
    ...(chance(0.3) && { userIds: text(random) }),
    ...(chance(0.2) && { odd: pick<unknown>(true, 1.5, null, ['x'], { y: text(random) }) }),
  };
};

const strategy = (random: Random): StrategySpec => {
  const { pick, chance, int, list, some } = random;
  return {
    name: pick('flexibleRollout', 'flexibleRollout', 'default', 'userWithId', 'beta-testers'),
    title: pick(null, '', text(random)),
    disabled: pick(true, false, null),
    sortOrder: int(0, 50),
    parameters: parameters(random),
    constraints: chance(0.1) ? null : list(4, () => constraint(random)),
    variants: variants(random),
    segments: some(SEGMENTS.slice(0, 5), 0.3),
  };
};

/** A random feature that can be cloned into the project of its parent. */
export const randomSource = (random: Random, name: string, parent: string): FeatureSpec => {
  const { pick, chance, list, some } = random;
  const environments = some(['default', 'development', 'production', 'staging', 'qa']);
  return {
    name,
    project: pick('shop', 'closed'),
    description: pick(null, '', text(random)),
    type: pick('release', 'experiment', 'kill-switch', 'of-its-own'),
    stale: pick(true, false),
    impressionData: pick(true, false),
    environments: Object.fromEntries(
      environments.map((environment) => [
        environment,
        {
          enabled: chance(0.5),
          variants: variants(random),
          strategies: list(4, () => strategy(random)),
        },
      ]),
    ),
    parents: chance(0.4)
      ? [{ feature: parent, enabled: chance(0.7), variants: some(['red', 'blue']) }]
      : [],
  };
};
