import { describe, expect, test } from 'vitest';
import { BadDataError, ExceedsLimitError, NotFoundError } from '../../src/domain/errors.js';
import { DEFAULT_CLONE_LIMITS } from '../../src/domain/features/clone-limits.js';
import { type SourceStrategy, strategyGuards } from '../../src/domain/features/strategy-rules.js';
import { collectRefusals } from '../../src/domain/guards.js';

const facts = {
  targetProject: 'web',
  strategyTypes: new Set(['default', 'flexibleRollout']),
  contextFields: new Map([['userId', { legalValues: null }]]),
  limits: { ...DEFAULT_CLONE_LIMITS, strategiesPerEnvironment: 2, segmentsPerStrategy: 2 },
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

const judge = (...strategies: SourceStrategy[]) => {
  for (const guard of strategyGuards(strategies, facts)) guard();
};

const badConstraint = [{ contextName: 'userId', operator: 'IN', values: [] }];
const badVariants = [{ name: 'a', weight: 1000, weightType: 'fix' }];

test('sound strategies may be cloned', () => {
  expect(() => judge()).not.toThrow();
  expect(() => judge(strategy(), strategy({ name: 'default' }))).not.toThrow();
});

test('a strategy whose type was deleted is refused', () => {
  const gone = strategy({ name: 'gone' });
  expect(() => judge(strategy(), gone)).toThrow(BadDataError);
  expect(() => judge(strategy(), gone)).toThrow(
    "strategy type 'gone' of strategy 2 ('gone') in environment 'production'",
  );
});

describe('segments', () => {
  test('may be global or of the target project', () => {
    expect(() => judge(strategy({ segments: [segment(1), segment(2, 'web')] }))).not.toThrow();
    expect(() => judge(strategy({ segments: [segment(1, '')] }))).not.toThrow();
  });

  test('of another project are refused', () => {
    const foreign = strategy({ segments: [segment(1), segment(7, 'app')] });
    expect(() => judge(foreign)).toThrow(BadDataError);
    expect(() => judge(foreign)).toThrow("Segment 'segment-7' (id 7)");
    expect(() => judge(foreign)).toThrow("cannot be used in project 'web'");
  });

  test('beyond the limit of a strategy are refused', () => {
    const crowded = strategy({ segments: [segment(1), segment(2), segment(3)] });
    expect(() => judge(crowded)).toThrow(BadDataError);
    expect(() => judge(crowded)).toThrow('2 segments at most');
  });
});

describe('strategies per environment', () => {
  test('are counted for each environment apart', () => {
    const staging = strategy({ environmentName: 'staging' });
    expect(() => judge(strategy(), staging, strategy(), staging)).not.toThrow();
  });

  test('beyond the limit are refused', () => {
    const judgeThree = () => judge(strategy(), strategy(), strategy());
    expect(judgeThree).toThrow(ExceedsLimitError);
    expect(judgeThree).toThrow(
      "2 strategies in an environment at most; the source has more in 'prod",
    );
  });
});

test('constraints and variants are judged, and the strategy is named', () => {
  const place = "of strategy 1 ('flexibleRollout') in environment 'production'";
  expect(() => judge(strategy({ constraints: badConstraint }))).toThrow(`Constraint 1 ${place}`);
  expect(() => judge(strategy({ variants: badVariants }))).toThrow(`variants ${place}`);
});

test.each([5, 'text', true, []])('parameters cannot be %j', (parameters) => {
  expect(() => judge(strategy({ parameters }))).toThrow(BadDataError);
});

test.each([null, undefined, {}, { rollout: 5 }])('parameters may be %j', (parameters) => {
  expect(() => judge(strategy({ parameters }))).not.toThrow();
});

test('the first strategy in order is the one that is told', () => {
  const missing = [{ contextName: 'gone', operator: 'IN', values: ['a'] }];
  const first = strategy({ environmentName: 'staging', constraints: missing });
  const second = strategy({ name: 'gone' });
  expect(() => judge(first, second)).toThrow(NotFoundError);
  expect(() => judge(second, first)).toThrow(BadDataError);
});

test('of several faults of one strategy always the same is told', () => {
  const faults: Partial<SourceStrategy>[] = [
    { name: 'gone' },
    { segments: [segment(1, 'app'), segment(2), segment(3)] },
    { constraints: badConstraint },
    { parameters: 5 },
    { variants: badVariants },
  ];
  const told = ['strategy type', 'belongs to project', 'Constraint 1', 'parameters', 'variants'];
  for (const [index, fact] of told.entries()) {
    const worst = strategy(Object.assign({}, ...faults.slice(index).reverse()));
    expect(() => judge(worst)).toThrow(fact);
  }
});

test('everything wrong with every strategy is told, each thing once', async () => {
  const refusals = await collectRefusals(
    strategyGuards(
      [
        strategy({ name: 'gone', constraints: badConstraint, variants: badVariants }),
        strategy({ segments: [segment(1, 'other'), segment(2), segment(3, 'other')] }),
        strategy({ parameters: [] }),
        strategy(),
      ],
      facts,
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
