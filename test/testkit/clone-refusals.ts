import type { Db } from '../../src/data/db.js';
import type { CloneCall } from './clone-calls.js';
import { addFeature, SHOP_SEGMENT, type StrategySpec } from './clone-world.js';

/** A clone that must be refused, and how each transport says so. */
export type Refusal = CloneCall & {
  title: string;
  rest: string;
  graphql: string;
  /** Facts the message must carry. */
  says: readonly string[];
};

const NOT_FOUND = { rest: '404 NotFoundError', graphql: 'NotFoundError' };
const BAD_NAME = { rest: '400 BadDataError', graphql: 'InvalidNameError' };
const NAME_TAKEN = { rest: '409 NameExistsError', graphql: 'NameExistsError' };
const FAULTY = { rest: '400 BadDataError', graphql: 'CloneRefusedError' };
const OVER_LIMIT = { rest: '400 ExceedsLimitError', graphql: 'CloneRefusedError' };
const IMPOSSIBLE = { rest: '403 InvalidOperationError', graphql: 'CloneRefusedError' };

/** Features the refusals below refer to. */
export const addRefusedWorld = async (db: Db): Promise<void> => {
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

/** What is refused before the original writes anything (operations 7.4). */
export const EARLY_REFUSALS: readonly Refusal[] = [
  {
    title: 'into a project with change requests',
    source: 'plain',
    name: 'x',
    project: 'guarded',
    rest: '403 ForbiddenError',
    graphql: 'CloneRefusedError',
    says: ['guarded', 'change requests'],
  },
  { title: 'to an empty name', source: 'plain', name: '', ...BAD_NAME, says: ['empty'] },
  { title: 'to a name with a blank', source: 'plain', name: 'a b', ...BAD_NAME, says: ['"a b"'] },
  { title: 'to a name with an umlaut', source: 'plain', name: 'ü', ...BAD_NAME, says: ['"ü"'] },
  { title: 'to a name with a slash', source: 'plain', name: 'a/b', ...BAD_NAME, says: ['"a/b"'] },
  { title: 'to the name "."', source: 'plain', name: '.', ...BAD_NAME, says: ['"."'] },
  { title: 'to the name ".."', source: 'plain', name: '..', ...BAD_NAME, says: ['".."'] },
  {
    title: 'to a name of 101 characters',
    source: 'plain',
    name: 'n'.repeat(101),
    ...BAD_NAME,
    says: ['100', '101'],
  },
  { title: 'to a name in use', source: 'plain', name: 'taken', ...NAME_TAKEN, says: ["'taken'"] },
  { title: 'to its own name', source: 'plain', name: 'plain', ...NAME_TAKEN, says: ["'plain'"] },
  {
    title: 'to a name in use in another project',
    source: 'plain',
    name: 'Taken-Elsewhere',
    ...NAME_TAKEN,
    says: ["'Taken-Elsewhere'"],
  },
  {
    title: 'to the name of an archived feature',
    source: 'plain',
    name: 'shelved',
    ...NAME_TAKEN,
    says: ["'shelved'", 'archived'],
  },
  { title: 'of nothing', source: 'ghost', name: 'x', ...NOT_FOUND, says: ["'ghost'"] },
  { title: 'of something spelled otherwise', source: 'Plain', name: 'x', ...NOT_FOUND, says: [] },
  { title: 'of an archived feature', source: 'shelved', name: 'x', ...NOT_FOUND, says: [] },
  {
    title: 'to a name that misses the pattern',
    source: 'plain',
    name: 'x',
    project: 'named',
    rest: '400 PatternError',
    graphql: 'NamingPatternError',
    says: ["'x'", '(shop|plaza)\\.[a-z]+', 'shop.cart', 'The part of the company'],
  },
  {
    title: 'into a full project',
    source: 'plain',
    name: 'x',
    project: 'small',
    rest: '403 InvalidOperationError',
    graphql: 'FeatureLimitError',
    says: ['small', '1'],
  },
  {
    title: 'into a project that does not exist',
    source: 'plain',
    name: 'x',
    project: 'atlantis',
    ...NOT_FOUND,
    says: ["'atlantis'"],
  },
  {
    title: 'into an archived project',
    source: 'plain',
    name: 'x',
    project: 'closed',
    ...NOT_FOUND,
    says: ["'closed'"],
  },
  {
    title: 'of a feature without staleness, type and impression data',
    source: 'incomplete',
    name: 'x',
    ...FAULTY,
    says: ['stale'],
  },
];

/** What the original notices only when half of the clone is written (operations 7.7). */
export const LATE_REFUSALS: readonly Refusal[] = [
  {
    title: 'away from the project of its parent',
    source: 'middle',
    name: 'x',
    project: 'plaza',
    ...IMPOSSIBLE,
    says: ["'top'", "'plaza'", "'shop'"],
  },
  {
    title: 'of a feature whose parent is archived',
    source: 'orphaned',
    name: 'x',
    ...IMPOSSIBLE,
    says: ["'shelved'", 'archived'],
  },
  {
    title: 'of a feature whose parent has a parent',
    source: 'bottom',
    name: 'x',
    ...IMPOSSIBLE,
    says: ["'middle'"],
  },
  {
    title: 'with a strategy in a guarded environment the project does not use',
    source: 'staged',
    name: 'x',
    project: 'half-guarded',
    rest: '403 NoAccessError',
    graphql: 'FORBIDDEN',
    says: ['SKIP_CHANGE_REQUEST', "'half-guarded'", "'staging'"],
  },
  {
    title: 'with a variant without a name in an environment',
    source: 'nameless-variant',
    name: 'x',
    ...FAULTY,
    says: ['variants', "'production'", 'name'],
  },
  {
    title: 'with variants of an environment that are no list',
    source: 'no-variants-at-all',
    name: 'x',
    ...FAULTY,
    says: ['variants', "'production'", 'list'],
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
    title: 'with a strategy whose type is gone',
    strategies: [{ name: 'vanished-type' }],
    ...FAULTY,
    says: ["'vanished-type'"],
  },
  {
    title: 'with a segment that belongs to another project',
    project: 'plaza',
    strategies: withStrategy({ segments: [SHOP_SEGMENT] }),
    ...FAULTY,
    says: ["'shop-only'", '11', "'plaza'"],
  },
  {
    title: 'with more segments on a strategy than allowed',
    strategies: withStrategy({ segments: [1, 2, 3, 4, 5, 6] }),
    ...FAULTY,
    says: ['5 segments', '6'],
  },
  {
    title: 'with a constraint on a context field that is gone',
    strategies: constrained({ contextName: 'weather', operator: 'IN', values: ['sun'] }),
    ...NOT_FOUND,
    says: ["'weather'"],
  },
  {
    title: 'with listed values that are not legal ones',
    strategies: constrained({ contextName: 'country', operator: 'IN', values: ['no', 'dk'] }),
    ...FAULTY,
    says: ['"dk"', "'country'"],
  },
  {
    title: 'with a single value that is not a legal one',
    strategies: constrained({ contextName: 'country', operator: 'SEMVER_EQ', value: '1.2.3' }),
    ...FAULTY,
    says: ['"1.2.3"', "'country'"],
  },
  {
    title: 'with too many constraints',
    strategies: constrained(
      ...Array.from({ length: 31 }, () => ({ ...NO_VALUES, values: ['free'] })),
    ),
    ...OVER_LIMIT,
    says: ['30', '31'],
  },
  {
    title: 'with too many values in a constraint',
    strategies: constrained({ ...NO_VALUES, values: Array.from({ length: 251 }, String) }),
    ...OVER_LIMIT,
    says: ['250', '251', 'plan'],
  },
  {
    title: 'with too many strategies in an environment',
    strategies: Array.from({ length: 31 }, () => ({ name: 'default' })),
    ...OVER_LIMIT,
    says: ['30', "'development'"],
  },
  ...['IN', 'NOT_IN', 'STR_ENDS_WITH', 'STR_STARTS_WITH', 'STR_CONTAINS'].map((operator) => ({
    title: `with ${operator} and no values`,
    strategies: constrained({ ...NO_VALUES, operator }),
    ...FAULTY,
    says: [operator, 'at least one value'],
  })),
  {
    title: 'with a value longer than 100 characters',
    strategies: constrained({ ...NO_VALUES, values: ['v'.repeat(101)] }),
    ...FAULTY,
    says: ['value 1', '100'],
  },
  {
    title: 'with an empty value',
    strategies: constrained({ ...NO_VALUES, values: ['free', ''] }),
    ...FAULTY,
    says: ['value 2', 'not empty'],
  },
  {
    title: 'with a value that is no text',
    strategies: constrained({ ...NO_VALUES, values: [7] }),
    ...FAULTY,
    says: ['value 1', '7'],
  },
  ...['NUM_EQ', 'NUM_GT', 'NUM_GTE', 'NUM_LT', 'NUM_LTE'].map((operator) => ({
    title: `with ${operator} and no number`,
    strategies: constrained({ contextName: 'plan', operator, value: 'many' }),
    ...FAULTY,
    says: [operator, 'number', '"many"'],
  })),
  ...['DATE_AFTER', 'DATE_BEFORE'].map((operator) => ({
    title: `with ${operator} and no date`,
    strategies: constrained({ contextName: 'plan', operator, value: 'soon' }),
    ...FAULTY,
    says: [operator, 'date', '"soon"'],
  })),
  ...['SEMVER_EQ', 'SEMVER_GT', 'SEMVER_LT'].map((operator) => ({
    title: `with ${operator} and a version of two parts`,
    strategies: constrained({ contextName: 'plan', operator, value: '1.2' }),
    ...FAULTY,
    says: [operator, 'version', '"1.2"'],
  })),
  {
    title: 'with a version that is no text',
    strategies: constrained({ contextName: 'plan', operator: 'SEMVER_EQ', value: 1 }),
    ...FAULTY,
    says: ['version', '1'],
  },
  {
    title: 'with an unknown operator',
    strategies: constrained({ ...NO_VALUES, operator: 'SOUNDS_LIKE' }),
    ...FAULTY,
    says: ['SOUNDS_LIKE', 'NOT_IN'],
  },
  {
    title: 'with an unknown key in a constraint',
    strategies: constrained({ ...NO_VALUES, values: ['a'], mood: 1 }),
    ...FAULTY,
    says: ['"mood"'],
  },
  {
    title: 'with an unknown key in a variant',
    strategies: varied({ ...VARIANT, mood: 1 }),
    ...FAULTY,
    says: ['"mood"'],
  },
  {
    title: 'with strategy variants of which none is variable',
    strategies: varied(FIXED),
    ...FAULTY,
    says: ['variable'],
  },
  {
    title: 'with fixed strategy variants above the whole',
    strategies: varied(FIXED, { ...FIXED, name: 'b' }, { ...VARIANT, name: 'c' }),
    ...FAULTY,
    says: ['100 %', '120'],
  },
  {
    title: 'with two strategy variants of one name',
    strategies: varied(VARIANT, VARIANT),
    ...FAULTY,
    says: ['"a"', 'twice'],
  },
  {
    title: 'with a strategy variant whose name fits into no URL',
    strategies: varied({ ...VARIANT, name: 'a b' }),
    ...FAULTY,
    says: ['"a b"', 'URL'],
  },
  {
    title: 'with a strategy variant of broken JSON',
    strategies: varied({ ...VARIANT, payload: { type: 'json', value: '{' } }),
    ...FAULTY,
    says: ['JSON', '"{"'],
  },
  {
    title: 'with parameters that are no object',
    strategies: withStrategy({ parameters: ['rollout'] }),
    ...FAULTY,
    says: ['parameters'],
  },
  {
    title: 'with constraints that are no list',
    strategies: withStrategy({ constraints: { plan: 'free' } }),
    ...FAULTY,
    says: ['constraints'],
  },
];

/** What makes a strategy impossible to write anew, each in a source of its own. */
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
