import type { Db } from '../../src/data/db.js';
import type { CloneCall } from './clone-calls.js';
import { addFeature, SHOP_SEGMENT, type StrategySpec } from './clone-world.js';

/** A clone that must be rejected, and the error of each transport. */
export type Refusal = CloneCall & {
  title: string;
  rest: string;
  graphql: string;
  /** Facts that the message must contain. */
  messageIncludes: readonly string[];
};

const NOT_FOUND = { rest: '404 NotFoundError', graphql: 'NotFoundError' };
const BAD_NAME = { rest: '400 BadDataError', graphql: 'InvalidNameError' };
const NAME_TAKEN = { rest: '409 NameExistsError', graphql: 'NameExistsError' };
const BAD_DATA = { rest: '400 BadDataError', graphql: 'CloneRefusedError' };
const OVER_LIMIT = { rest: '400 ExceedsLimitError', graphql: 'CloneRefusedError' };
const INVALID_OPERATION = { rest: '403 InvalidOperationError', graphql: 'CloneRefusedError' };

/** Features used by the cases below. */
export const addRefusalSources = async (db: Db): Promise<void> => {
  const archivedAt = new Date('2026-01-01T00:00:00Z');
  await addFeature(db, {
    name: 'plain',
    environments: { development: { strategies: [{ name: 'default' }] } },
  });
  await addFeature(db, { name: 'taken' });
  await addFeature(db, { name: 'Taken-Elsewhere', project: 'closed' });
  await addFeature(db, { name: 'shelved', archivedAt });
  await addFeature(db, { name: 'fills-small', project: 'small' });
  await addFeature(db, { name: 'incomplete', stale: null, type: null, impressionData: null });
  await addFeature(db, { name: 'top' });
  await addFeature(db, { name: 'middle', parents: [{ feature: 'top' }] });
  await addFeature(db, { name: 'bottom', parents: [{ feature: 'middle' }] });
  await addFeature(db, { name: 'orphaned', parents: [{ feature: 'shelved' }] });
  await addFeature(db, {
    name: 'staged',
    environments: { staging: { strategies: [{ name: 'default' }] } },
  });
  await addFeature(db, {
    name: 'nameless-variant',
    environments: { production: { variants: [{ name: 'a' }, { weight: 1 }] } },
  });
  await addFeature(db, {
    name: 'no-variants-at-all',
    environments: { production: { variants: { a: 1 } } },
  });
};

/** Cases that Unleash rejects before it writes anything (operations 7.4). */
export const EARLY_REFUSALS: readonly Refusal[] = [
  {
    title: 'into a project with change requests',
    source: 'plain',
    name: 'x',
    project: 'guarded',
    rest: '403 ForbiddenError',
    graphql: 'CloneRefusedError',
    messageIncludes: ['guarded', 'change requests'],
  },
  { title: 'to an empty name', source: 'plain', name: '', ...BAD_NAME, messageIncludes: ['empty'] },
  {
    title: 'to a name with a space',
    source: 'plain',
    name: 'a b',
    ...BAD_NAME,
    messageIncludes: ['"a b"'],
  },
  {
    title: 'to a name with an umlaut',
    source: 'plain',
    name: 'ü',
    ...BAD_NAME,
    messageIncludes: ['"ü"'],
  },
  {
    title: 'to a name with a slash',
    source: 'plain',
    name: 'a/b',
    ...BAD_NAME,
    messageIncludes: ['"a/b"'],
  },
  { title: 'to the name "."', source: 'plain', name: '.', ...BAD_NAME, messageIncludes: ['"."'] },
  {
    title: 'to the name ".."',
    source: 'plain',
    name: '..',
    ...BAD_NAME,
    messageIncludes: ['".."'],
  },
  {
    title: 'to a name of 101 characters',
    source: 'plain',
    name: 'n'.repeat(101),
    ...BAD_NAME,
    messageIncludes: ['100', '101'],
  },
  {
    title: 'to a name that is taken',
    source: 'plain',
    name: 'taken',
    ...NAME_TAKEN,
    messageIncludes: ["'taken'"],
  },
  {
    title: 'to its own name',
    source: 'plain',
    name: 'plain',
    ...NAME_TAKEN,
    messageIncludes: ["'plain'"],
  },
  {
    title: 'to a name that is taken in another project',
    source: 'plain',
    name: 'Taken-Elsewhere',
    ...NAME_TAKEN,
    messageIncludes: ["'Taken-Elsewhere'"],
  },
  {
    title: 'to the name of an archived feature',
    source: 'plain',
    name: 'shelved',
    ...NAME_TAKEN,
    messageIncludes: ["'shelved'", 'archived'],
  },
  {
    title: 'of a feature that does not exist',
    source: 'ghost',
    name: 'x',
    ...NOT_FOUND,
    messageIncludes: ["'ghost'"],
  },
  {
    title: 'of a name in another letter case',
    source: 'Plain',
    name: 'x',
    ...NOT_FOUND,
    messageIncludes: [],
  },
  {
    title: 'of an archived feature',
    source: 'shelved',
    name: 'x',
    ...NOT_FOUND,
    messageIncludes: [],
  },
  {
    title: 'to a name that does not match the pattern',
    source: 'plain',
    name: 'x',
    project: 'named',
    rest: '400 PatternError',
    graphql: 'NamingPatternError',
    messageIncludes: ["'x'", '(shop|plaza)\\.[a-z]+', 'shop.cart', 'The part of the company'],
  },
  {
    title: 'into a full project',
    source: 'plain',
    name: 'x',
    project: 'small',
    rest: '403 InvalidOperationError',
    graphql: 'FeatureLimitError',
    messageIncludes: ['small', '1'],
  },
  {
    title: 'into a project that does not exist',
    source: 'plain',
    name: 'x',
    project: 'atlantis',
    ...NOT_FOUND,
    messageIncludes: ["'atlantis'"],
  },
  {
    title: 'into an archived project',
    source: 'plain',
    name: 'x',
    project: 'closed',
    ...NOT_FOUND,
    messageIncludes: ["'closed'"],
  },
  {
    title: 'of a feature without staleness, type and impression data',
    source: 'incomplete',
    name: 'x',
    ...BAD_DATA,
    messageIncludes: ['stale'],
  },
];

/** Cases that Unleash detects only when part of the clone is written (operations 7.7). */
export const LATE_REFUSALS: readonly Refusal[] = [
  {
    title: 'into another project than its parent',
    source: 'middle',
    name: 'x',
    project: 'plaza',
    ...INVALID_OPERATION,
    messageIncludes: ["'top'", "'plaza'", "'shop'"],
  },
  {
    title: 'of a feature whose parent is archived',
    source: 'orphaned',
    name: 'x',
    ...INVALID_OPERATION,
    messageIncludes: ["'shelved'", 'archived'],
  },
  {
    title: 'of a feature whose parent has a parent',
    source: 'bottom',
    name: 'x',
    ...INVALID_OPERATION,
    messageIncludes: ["'middle'"],
  },
  {
    title: 'with a strategy in a guarded environment the project does not use',
    source: 'staged',
    name: 'x',
    project: 'half-guarded',
    rest: '403 NoAccessError',
    graphql: 'NoAccessError',
    messageIncludes: ['SKIP_CHANGE_REQUEST', "'half-guarded'", "'staging'"],
  },
  {
    title: 'with a variant without a name in an environment',
    source: 'nameless-variant',
    name: 'x',
    ...BAD_DATA,
    messageIncludes: ['variants', "'production'", 'name'],
  },
  {
    title: 'with variants of an environment that are not a list',
    source: 'no-variants-at-all',
    name: 'x',
    ...BAD_DATA,
    messageIncludes: ['variants', "'production'", 'list'],
  },
];

type StrategyRefusal = Omit<Refusal, 'source' | 'name'> & { strategies: readonly StrategySpec[] };

const withStrategy = (strategy: Partial<StrategySpec>): readonly StrategySpec[] => [
  { name: 'default', ...strategy },
];
const constrained = (...constraints: unknown[]) => withStrategy({ constraints });
const varied = (...variants: unknown[]) => withStrategy({ variants });

const NO_VALUES = { contextName: 'plan', operator: 'IN', values: [] };
const VARIANT = { name: 'a', weight: 1000, weightType: 'variable', stickiness: 'default' };
const FIXED = { ...VARIANT, weight: 600, weightType: 'fix' };

const STRATEGY_REFUSALS: readonly StrategyRefusal[] = [
  {
    title: 'with a strategy whose type was deleted',
    strategies: [{ name: 'vanished-type' }],
    ...BAD_DATA,
    messageIncludes: ["'vanished-type'"],
  },
  {
    title: 'with a segment that belongs to another project',
    project: 'plaza',
    strategies: withStrategy({ segments: [SHOP_SEGMENT] }),
    ...BAD_DATA,
    messageIncludes: ["'shop-only'", '11', "'plaza'"],
  },
  {
    title: 'with more segments on a strategy than allowed',
    strategies: withStrategy({ segments: [1, 2, 3, 4, 5, 6] }),
    ...BAD_DATA,
    messageIncludes: ['5 segments', '6'],
  },
  {
    title: 'with a constraint on a deleted context field',
    strategies: constrained({ contextName: 'weather', operator: 'IN', values: ['sun'] }),
    ...NOT_FOUND,
    messageIncludes: ["'weather'"],
  },
  {
    title: 'with listed values that are not legal values',
    strategies: constrained({ contextName: 'country', operator: 'IN', values: ['no', 'dk'] }),
    ...BAD_DATA,
    messageIncludes: ['"dk"', "'country'"],
  },
  {
    title: 'with a single value that is not a legal value',
    strategies: constrained({ contextName: 'country', operator: 'SEMVER_EQ', value: '1.2.3' }),
    ...BAD_DATA,
    messageIncludes: ['"1.2.3"', "'country'"],
  },
  {
    title: 'with too many constraints',
    strategies: constrained(
      ...Array.from({ length: 31 }, () => ({ ...NO_VALUES, values: ['free'] })),
    ),
    ...OVER_LIMIT,
    messageIncludes: ['30', '31'],
  },
  {
    title: 'with too many values in a constraint',
    strategies: constrained({ ...NO_VALUES, values: Array.from({ length: 251 }, String) }),
    ...OVER_LIMIT,
    messageIncludes: ['250', '251', 'plan'],
  },
  {
    title: 'with too many strategies in an environment',
    strategies: Array.from({ length: 31 }, () => ({ name: 'default' })),
    ...OVER_LIMIT,
    messageIncludes: ['30', "'development'"],
  },
  ...['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'].map((operator) => ({
    title: `with ${operator} and no values`,
    strategies: constrained({ ...NO_VALUES, operator }),
    ...BAD_DATA,
    messageIncludes: [operator, 'at least one value'],
  })),
  {
    title: 'with a value longer than 100 characters',
    strategies: constrained({ ...NO_VALUES, values: ['v'.repeat(101)] }),
    ...BAD_DATA,
    messageIncludes: ['value 1', '100'],
  },
  {
    title: 'with an empty value',
    strategies: constrained({ ...NO_VALUES, values: ['free', ''] }),
    ...BAD_DATA,
    messageIncludes: ['value 2', 'non-empty'],
  },
  {
    title: 'with a value that is not text',
    strategies: constrained({ ...NO_VALUES, values: [7] }),
    ...BAD_DATA,
    messageIncludes: ['value 1', '7'],
  },
  ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map((operator) => ({
    title: `with ${operator} and no number`,
    strategies: constrained({ contextName: 'plan', operator, value: 'many' }),
    ...BAD_DATA,
    messageIncludes: [operator, 'number', '"many"'],
  })),
  ...['DATE_AFTER', 'DATE_BEFORE'].map((operator) => ({
    title: `with ${operator} and no date`,
    strategies: constrained({ contextName: 'plan', operator, value: 'soon' }),
    ...BAD_DATA,
    messageIncludes: [operator, 'date', '"soon"'],
  })),
  ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'].map((operator) => ({
    title: `with ${operator} and a version of two parts`,
    strategies: constrained({ contextName: 'plan', operator, value: '1.2' }),
    ...BAD_DATA,
    messageIncludes: [operator, 'version', '"1.2"'],
  })),
  {
    title: 'with a version that is not text',
    strategies: constrained({ contextName: 'plan', operator: 'SEMVER_EQ', value: 1 }),
    ...BAD_DATA,
    messageIncludes: ['version', '1'],
  },
  {
    title: 'with an unknown operator',
    strategies: constrained({ ...NO_VALUES, operator: 'SOUNDS_LIKE' }),
    ...BAD_DATA,
    messageIncludes: ['SOUNDS_LIKE', 'NOT_IN'],
  },
  {
    title: 'with an unknown key in a constraint',
    strategies: constrained({ ...NO_VALUES, values: ['a'], mood: 1 }),
    ...BAD_DATA,
    messageIncludes: ['"mood"'],
  },
  {
    title: 'with an unknown key in a variant',
    strategies: varied({ ...VARIANT, mood: 1 }),
    ...BAD_DATA,
    messageIncludes: ['"mood"'],
  },
  {
    title: 'with strategy variants without a variable one',
    strategies: varied(FIXED),
    ...BAD_DATA,
    messageIncludes: ['variable'],
  },
  {
    title: 'with fixed strategy variants above the total weight',
    strategies: varied(FIXED, { ...FIXED, name: 'b' }, { ...VARIANT, name: 'c' }),
    ...BAD_DATA,
    messageIncludes: ['100 %', '120'],
  },
  {
    title: 'with two strategy variants of the same name',
    strategies: varied(VARIANT, VARIANT),
    ...BAD_DATA,
    messageIncludes: ['"a"', 'twice'],
  },
  {
    title: 'with a strategy variant whose name is not URL-friendly',
    strategies: varied({ ...VARIANT, name: 'a b' }),
    ...BAD_DATA,
    messageIncludes: ['"a b"', 'URL'],
  },
  {
    title: 'with a strategy variant with invalid JSON',
    strategies: varied({ ...VARIANT, payload: { type: 'json', value: '{' } }),
    ...BAD_DATA,
    messageIncludes: ['JSON', '"{"'],
  },
  {
    title: 'with parameters that are not an object',
    strategies: withStrategy({ parameters: ['rollout'] }),
    ...BAD_DATA,
    messageIncludes: ['parameters'],
  },
  {
    title: 'with constraints that are not a list',
    strategies: withStrategy({ constraints: { plan: 'free' } }),
    ...BAD_DATA,
    messageIncludes: ['constraints'],
  },
];

/** Strategies that cannot be written again, each in its own source. */
export const FAULTY_SOURCES: readonly Refusal[] = STRATEGY_REFUSALS.map(
  ({ strategies: _, ...refusal }, index) => ({ ...refusal, source: `faulty-${index}`, name: 'x' }),
);

export const addFaultySources = async (db: Db): Promise<void> => {
  for (const [index, { strategies }] of STRATEGY_REFUSALS.entries()) {
    await addFeature(db, {
      name: `faulty-${index}`,
      environments: { development: { strategies } },
    });
  }
};
