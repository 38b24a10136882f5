import type { Chance } from '../permissions/chance.js';

const constraint = (chance: Chance) => ({
  contextName: chance.pick(['userId', 'appName']),
  operator: chance.pick(['IN', 'NOT_IN']),
  values: chance.some(['1', '2', '3'], 1, 3),
  inverted: false,
  caseInsensitive: false,
});

/** A random strategy, sometimes with a sort order of its own. */
export const makeStrategy = (chance: Chance, segmentIds: readonly number[]) => ({
  name: 'flexibleRollout',
  title: chance.pick(['One', 'Two', '']),
  disabled: chance.percent(10),
  parameters: { rollout: String(chance.int(0, 100)), stickiness: 'default', groupId: 'past' },
  constraints: chance.percent(50) ? [constraint(chance)] : [],
  ...(chance.percent(40) && { segments: chance.some(segmentIds, 0, 2) }),
  ...(chance.percent(40) && { sortOrder: chance.int(0, 5) }),
});

export const makeVariants = (chance: Chance) =>
  chance.some(['a', 'b', 'c'], 0, 3).map((name) => ({
    name,
    weight: 1000,
    weightType: 'variable',
    stickiness: 'default',
  }));
