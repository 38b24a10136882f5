import { describe, expect, test } from 'vitest';
import { BadDataError, ExceedsLimitError, NotFoundError } from '../../src/domain/errors.js';
import { DEFAULT_CLONE_LIMITS } from '../../src/domain/features/clone-limits.js';
import { type SourceStrategy, strategyGuards } from '../../src/domain/features/strategy-rules.js';
import { collectRefusals } from '../../src/domain/guards.js';

const context = {
  targetProject: 'web',
  strategyTypes: new Set(['default', 'flexibleRollout']),
  contextFields: new Map([['userId', { legalValues: null }]]),
  limits: { ...DEFAULT_CLONE_LIMITS, strategiesPerEnvironment: 2, segmentsPerStrategy: 2 },
  major: 6 as const,
};

const strategy = (difference: Partial<SourceStrategy> = {}): SourceStrategy => ({
  id: 'one',
  name: 'flexibleRollout',
  title: null,
  disabled: null,
  environmentName: 'production',
  parameters: {},
  constraints: [],
  variants: [],
  sortOrder: 0,
  segments: [],
  ...difference,
});

const segment = (id: number, projectId: string | null = null) => ({
  id,
  name: `segment-${id}`,
  projectId,
});

const assertStrategies = (...strategies: SourceStrategy[]) => {
  for (const guard of strategyGuards(strategies, context)) guard();
};

const badConstraint = [{ contextName: 'userId', operator: 'IN', values: [] }];
const badVariants = [{ name: 'a', weight: 1000, weightType: 'fix' }];

test('accepts valid strategies', () => {
  expect(() => assertStrategies()).not.toThrow();
  expect(() => assertStrategies(strategy(), strategy({ name: 'default' }))).not.toThrow();
});

test('rejects a strategy whose type was deleted', () => {
  const unknown = strategy({ name: 'gone' });
  expect(() => assertStrategies(strategy(), unknown)).toThrow(BadDataError);
  expect(() => assertStrategies(strategy(), unknown)).toThrow(
    "strategy type 'gone' of strategy 2 ('gone') in environment 'production'",
  );
});

describe('segments', () => {
  test('may be global or belong to the target project', () => {
    expect(() =>
      assertStrategies(strategy({ segments: [segment(1), segment(2, 'web')] })),
    ).not.toThrow();
    expect(() => assertStrategies(strategy({ segments: [segment(1, '')] }))).not.toThrow();
  });

  test('of another project are rejected', () => {
    const foreign = strategy({ segments: [segment(1), segment(7, 'app')] });
    expect(() => assertStrategies(foreign)).toThrow(BadDataError);
    expect(() => assertStrategies(foreign)).toThrow("Segment 'segment-7' (id 7)");
    expect(() => assertStrategies(foreign)).toThrow("cannot be used in project 'web'");
  });

  test('above the limit of a strategy are rejected', () => {
    const tooManySegments = strategy({ segments: [segment(1), segment(2), segment(3)] });
    expect(() => assertStrategies(tooManySegments)).toThrow(BadDataError);
    expect(() => assertStrategies(tooManySegments)).toThrow('2 segments at most');
  });
});

describe('strategies per environment', () => {
  test('are counted separately for each environment', () => {
    const staging = strategy({ environmentName: 'staging' });
    expect(() => assertStrategies(strategy(), staging, strategy(), staging)).not.toThrow();
  });

  test('above the limit are rejected', () => {
    const assertThree = () => assertStrategies(strategy(), strategy(), strategy());
    expect(assertThree).toThrow(ExceedsLimitError);
    expect(assertThree).toThrow(
      "2 strategies in an environment at most; the source has more in 'prod",
    );
  });
});

test('constraints and variants are validated, and the error names the strategy', () => {
  const location = "of strategy 1 ('flexibleRollout') in environment 'production'";
  expect(() => assertStrategies(strategy({ constraints: badConstraint }))).toThrow(
    `Constraint 1 ${location}`,
  );
  expect(() => assertStrategies(strategy({ variants: badVariants }))).toThrow(
    `variants ${location}`,
  );
});

test.each([5, 'text', true, []])('parameters cannot be %j', (parameters) => {
  expect(() => assertStrategies(strategy({ parameters }))).toThrow(BadDataError);
});

test.each([null, undefined, {}, { rollout: 5 }])('parameters may be %j', (parameters) => {
  expect(() => assertStrategies(strategy({ parameters }))).not.toThrow();
});

test('reports the first strategy in order', () => {
  const missing = [{ contextName: 'gone', operator: 'IN', values: ['a'] }];
  const first = strategy({ environmentName: 'staging', constraints: missing });
  const second = strategy({ name: 'gone' });
  expect(() => assertStrategies(first, second)).toThrow(NotFoundError);
  expect(() => assertStrategies(second, first)).toThrow(BadDataError);
});

test('always reports the same one of several errors of a strategy', () => {
  const faults: Partial<SourceStrategy>[] = [
    { name: 'gone' },
    { segments: [segment(1, 'app'), segment(2), segment(3)] },
    { constraints: badConstraint },
    { parameters: 5 },
    { variants: badVariants },
  ];
  const messages = [
    'strategy type',
    'belongs to project',
    'Constraint 1',
    'parameters',
    'variants',
  ];
  for (const [index, message] of messages.entries()) {
    const worst = strategy(Object.assign({}, ...faults.slice(index).reverse()));
    expect(() => assertStrategies(worst)).toThrow(message);
  }
});

test('collects all errors of all strategies, each once', async () => {
  const refusals = await collectRefusals(
    strategyGuards(
      [
        strategy({ name: 'gone', constraints: badConstraint, variants: badVariants }),
        strategy({ segments: [segment(1, 'other'), segment(2), segment(3, 'other')] }),
        strategy({ parameters: [] }),
        strategy(),
      ],
      context,
    ),
  );
  expect(refusals.map(({ message }) => message)).toEqual([
    expect.stringContaining("type 'gone' of strategy 1"),
    expect.stringContaining('Constraint 1 of strategy 1'),
    expect.stringContaining('variants of strategy 1'),
    expect.stringContaining("Segment 'segment-1' (id 1) of strategy 2"),
    expect.stringContaining("Segment 'segment-3' (id 3) of strategy 2"),
    expect.stringContaining('2 segments at most; strategy 2'),
    expect.stringContaining('parameters of strategy 3'),
    expect.stringContaining('2 strategies in an environment at most'),
  ]);
});
