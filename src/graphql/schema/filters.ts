import { BadDataError } from '../../domain/errors.js';
import { builder } from '../builder.js';
import { assertFewValues } from '../filter-tree.js';
import { exampleOf } from '../input-examples.js';

export const StringFilter = builder.inputType('StringFilter', {
  description: `Conditions on a text; all that are given must hold, and null counts as not given. Letter case counts. ${exampleOf('StringFilter')}`,
  fields: (t) => ({
    is: t.string({ description: 'Equal to this text.' }),
    anyOf: t.stringList({ description: 'Equal to one of these texts. At most 1000.' }),
    not: t.stringList({
      description:
        'Equal to none of these texts; what has no text at all is equal to none. At most 1000.',
    }),
  }),
});

export const IntFilter = builder.inputType('IntFilter', {
  description: `Conditions on a whole number; all that are given must hold, and null counts as not given. ${exampleOf('IntFilter')}`,
  fields: (t) => ({
    from: t.int({ description: 'This number or a larger one.' }),
    to: t.int({ description: 'A smaller number than this one.' }),
    is: t.int({ description: 'Equal to this number.' }),
    anyOf: t.intList({ description: 'Equal to one of these numbers. At most 1000.' }),
    not: t.intList({
      description:
        'Equal to none of these numbers; what has no number at all is equal to none. At most 1000.',
    }),
  }),
});

export const DateTimeRange = builder.inputType('DateTimeRange', {
  description: `A stretch of time; either end may be left open. ${exampleOf('DateTimeRange')}`,
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'The first moment inside.' }),
    to: t.field({ type: 'DateTime', description: 'The first moment no longer inside.' }),
  }),
});

type ValueFilter<Value> = {
  is?: Value | null | undefined;
  anyOf?: readonly Value[] | null | undefined;
  not?: readonly Value[] | null | undefined;
};

/** In one order, so that filters that ask for the same are the same. */
const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)].sort();

/** What a filter says of single values: only some pass, or all but some, or, without either, everything. */
export const readChoice = <Value>(
  field: string,
  filter: ValueFilter<Value> | null | undefined,
): { among?: Value[]; except?: Value[] } => {
  const { is = null, anyOf = null, not = null } = filter ?? {};
  assertFewValues(`${field}.anyOf`, anyOf?.length ?? 0);
  assertFewValues(`${field}.not`, not?.length ?? 0);

  const wanted = is === null ? anyOf : [is].filter((value) => anyOf?.includes(value) ?? true);
  const unwanted = new Set(not);
  if (wanted) return { among: distinct(wanted.filter((value) => !unwanted.has(value))) };
  return unwanted.size > 0 ? { except: distinct([...unwanted]) } : {};
};

/** The same as two criteria, such as `names` and `namesOtherThan`. */
export const chosenValues = <Name extends string, Value>(
  name: Name,
  field: string,
  filter: ValueFilter<Value> | null | undefined,
) => {
  const { among, except } = readChoice(field, filter);
  return defined({ [name]: among, [`${name}OtherThan`]: except }) as {
    [Key in Name | `${Name}OtherThan`]?: Value[];
  };
};

/** PostgreSQL counts no year 0, and years of five digits are written in a way it does not read. */
export const assertYear = (field: string, moment: Date | null | undefined): void => {
  const year = moment?.getUTCFullYear() ?? 1;
  if (year < 1 || year > 9999) {
    throw BadDataError.of({ message: `'${field}' must lie in the years 1 to 9999.` });
  }
};

/** The two ends of a range as criteria have them. */
export const readRange = (
  field: string,
  range: typeof DateTimeRange.$inferInput | null | undefined,
): { from?: Date; before?: Date } => {
  assertYear(`${field}.from`, range?.from);
  assertYear(`${field}.to`, range?.to);
  return defined({ from: nonNull(range?.from), before: nonNull(range?.to) });
};

/** Leaves out what is undefined: in criteria a condition is there or it is not. */
export const defined = <Shape extends object>(shape: Shape) =>
  Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Shape]?: Exclude<Shape[Key], undefined>;
  };

export const nonNull = <Value>(value: Value | null | undefined): Value | undefined =>
  value === null ? undefined : value;
