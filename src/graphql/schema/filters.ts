import { BadDataError } from '../../domain/errors.js';
import { startOfLast } from '../../domain/period.js';
import { assertSearchText, MAX_NAME_TEXT_LENGTH, type TextPattern } from '../../domain/text.js';
import { builder } from '../builder.js';
import { assertFewValues } from '../filter-tree.js';
import { exampleOf } from '../input-examples.js';

export const StringFilter = builder.inputType('StringFilter', {
  description: `Conditions on a string, case-sensitive. All given conditions must match; null conditions are ignored. ${exampleOf('StringFilter')}`,
  fields: (t) => ({
    is: t.string({ description: 'Equals this string.' }),
    anyOf: t.stringList({ description: 'Equals one of these strings. At most 1000.' }),
    noneOf: t.stringList({
      description: 'Equals none of these strings; also matches missing values. At most 1000.',
    }),
    startsWith: t.string({
      description:
        'Starts with this text. Matched literally. At most 500 characters; an empty string is ignored.',
    }),
    contains: t.string({
      description:
        'Contains this text. Matched literally. At most 500 characters; an empty string is ignored.',
    }),
  }),
});

export const IntFilter = builder.inputType('IntFilter', {
  description: `Conditions on an integer. All given conditions must match; null conditions are ignored. ${exampleOf('IntFilter')}`,
  fields: (t) => ({
    from: t.int({ description: 'Greater than or equal to this number.' }),
    before: t.int({ description: 'Less than this number.' }),
    is: t.int({ description: 'Equals this number.' }),
    anyOf: t.intList({ description: 'Equals one of these numbers. At most 1000.' }),
    noneOf: t.intList({
      description: 'Equals none of these numbers; also matches missing values. At most 1000.',
    }),
  }),
});

export const DateTimeRange = builder.inputType('DateTimeRange', {
  description: `A time range. Either end may be omitted; a date means the start of that day in UTC. ${exampleOf('DateTimeRange')}`,
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Start of the range, inclusive.' }),
    before: t.field({ type: 'DateTime', description: 'End of the range, exclusive.' }),
    last: t.field({
      type: 'Duration',
      description:
        'Range that ends now, such as `P7D` for the last seven days. Its start is rounded down to the minute. Cannot be combined with `from` or `before`.',
    }),
  }),
});

type ValueFilter<Value> = {
  is?: Value | null | undefined;
  anyOf?: readonly Value[] | null | undefined;
  noneOf?: readonly Value[] | null | undefined;
};

/** Sorted, so that equivalent filters are equal. */
const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)].sort();

/** Reduces a filter to an allowlist (`among`) or a denylist (`except`). Without either, every value matches. */
export const readChoice = <Value>(
  field: string,
  filter: ValueFilter<Value> | null | undefined,
): { among?: Value[]; except?: Value[] } => {
  const { is = null, anyOf = null, noneOf = null } = filter ?? {};
  assertFewValues(`${field}.anyOf`, anyOf?.length ?? 0);
  assertFewValues(`${field}.noneOf`, noneOf?.length ?? 0);

  const values = is === null ? anyOf : [is].filter((value) => anyOf?.includes(value) ?? true);
  const unwanted = new Set(noneOf);
  if (values) return { among: distinct(values.filter((value) => !unwanted.has(value))) };
  return unwanted.size > 0 ? { except: distinct([...unwanted]) } : {};
};

type TextFilter = typeof StringFilter.$inferInput | null | undefined;

/** The parts that a text must contain; empty parts are ignored. */
const readPattern = (filter: TextFilter): TextPattern =>
  defined({
    startsWith: filter?.startsWith || undefined,
    contains: filter?.contains || undefined,
  });

/** The same as `readChoice`, with a pattern if it is not resolved by the allowlist. */
export const readTexts = (
  field: string,
  filter: TextFilter,
): { among?: string[]; except?: string[]; pattern?: TextPattern } => {
  const pattern = readPattern(filter);
  for (const [name, text] of Object.entries(pattern)) assertPart(`${field}.${name}`, text);
  const { among, ...choice } = readChoice(field, filter);
  if (!among) return Object.keys(pattern).length > 0 ? { ...choice, pattern } : choice;
  const { startsWith = '', contains = '' } = pattern;
  return {
    among: among.filter((text) => text.startsWith(startsWith) && text.includes(contains)),
  };
};

const assertPart = (field: string, text: string): void =>
  assertSearchText(`'${field}'`, text, MAX_NAME_TEXT_LENGTH);

/**
 * The conditions on several texts as criteria, such as `names`, `namesOtherThan` and `patterns.names`. The keys are the
 * names of the criteria.
 */
export const chosenTexts = <Name extends string>(
  fields: Readonly<Record<Name, readonly [field: string, filter: TextFilter]>>,
) => {
  const lists: Record<string, string[] | undefined> = {};
  const patterns: Record<string, TextPattern> = {};
  for (const [name, [field, filter]] of Object.entries<readonly [string, TextFilter]>(fields)) {
    const { among, except, pattern } = readTexts(field, filter);
    lists[name] = among;
    lists[`${name}OtherThan`] = except;
    if (pattern) patterns[name] = pattern;
  }
  return {
    ...(defined(lists) as { [Key in Name | `${Name}OtherThan`]?: string[] }),
    ...(Object.keys(patterns).length > 0 && {
      patterns: patterns as { [Key in Name]?: TextPattern },
    }),
  };
};

/** PostgreSQL has no year 0 and cannot parse the format of five-digit years. */
export const assertYear = (field: string, timestamp: Date | null | undefined): void => {
  const year = timestamp?.getUTCFullYear() ?? 1;
  if (year < 1 || year > 9999) {
    throw BadDataError.of({ message: `'${field}' must be in the years 1 to 9999.` });
  }
};

/** `now` is when the request arrived. */
export const readRange = (
  field: string,
  range: typeof DateTimeRange.$inferInput | null | undefined,
  now: Date,
): { from?: Date; before?: Date } => {
  assertYear(`${field}.from`, range?.from);
  assertYear(`${field}.before`, range?.before);
  const last = nonNull(range?.last);
  if (last === undefined) {
    return defined({ from: nonNull(range?.from), before: nonNull(range?.before) });
  }
  if (range?.from || range?.before) {
    const message = `'${field}.last' cannot be combined with 'from' or 'before'.`;
    throw BadDataError.of({ message });
  }
  return { from: startOfLast(`${field}.last`, last, now) };
};

/** Removes undefined values: in criteria, an absent condition has no key. */
export const defined = <Shape extends object>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Shape]?: Exclude<Shape[Key], undefined>;
  };

export const nonNull = <Value>(value: Value | null | undefined): Value | undefined =>
  value === null ? undefined : value;
