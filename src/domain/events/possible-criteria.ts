import { BadDataError } from '../errors.js';
import type { EventConditions, EventCriteria } from './event-criteria.js';

/** A transaction can record an event before a timestamp and commit long after it. */
const GRACE_MS = 3_600_000;

/** Criteria that every match must meet: these, and those joined by `and`. */
const conjunctsOf = (criteria: EventCriteria): EventCriteria[] => [
  criteria,
  ...(criteria.and ?? []).flatMap(conjunctsOf),
];

const valuesOf = <Name extends keyof EventConditions>(
  parts: readonly EventCriteria[],
  name: Name,
): NonNullable<EventConditions[Name]>[] =>
  parts.flatMap((part) => (part[name] === undefined ? [] : [part[name]]));

/** Values that all lists contain; null if there is no list. */
const common = <Value>(lists: readonly (readonly Value[])[]): Value[] | null => {
  const [first, ...others] = lists;
  if (!first) return null;
  const sets = others.map((list) => new Set(list));
  return first.filter((value) => sets.every((set) => set.has(value)));
};

type Range = { from: number; before: number };

const rangeOf = (from: readonly (number | Date)[], before: readonly (number | Date)[]): Range => ({
  from: Math.max(Number.NEGATIVE_INFINITY, ...from.map(Number)),
  before: Math.min(Number.POSITIVE_INFINITY, ...before.map(Number)),
});

const isEmpty = ({ from, before }: Range): boolean => from >= before;

const numbersWithin = (numbers: readonly number[] | null, { from, before }: Range) =>
  numbers?.filter((number) => number >= from && number < before) ?? null;

const readBounds = (criteria: EventCriteria) => {
  const parts = conjunctsOf(criteria);
  const idRange = rangeOf(valuesOf(parts, 'idFrom'), valuesOf(parts, 'idBefore'));
  const creatorRange = rangeOf(valuesOf(parts, 'creatorFrom'), valuesOf(parts, 'creatorBefore'));
  return {
    parts,
    idRange,
    ids: numbersWithin(common(valuesOf(parts, 'ids')), idRange),
    creatorRange,
    creators: numbersWithin(common(valuesOf(parts, 'creators')), creatorRange),
    times: rangeOf(valuesOf(parts, 'from'), valuesOf(parts, 'before')),
  };
};

/** Names a condition that nothing can match; null if none is found. */
const contradictionIn = (criteria: EventCriteria): string | null => {
  const { parts, idRange, ids, creatorRange, creators, times } = readBounds(criteria);
  const unwantedTypes = new Set(valuesOf(parts, 'typesOtherThan').flat());
  const types = common(valuesOf(parts, 'types'))?.filter((type) => !unwantedTypes.has(type));
  const isNone: Record<string, boolean> = {
    id: isEmpty(idRange) || ids?.length === 0,
    createdAt: isEmpty(times),
    createdByUserId: isEmpty(creatorRange) || creators?.length === 0,
    createdBy: common(valuesOf(parts, 'creatorNames'))?.length === 0,
    featureName: common(valuesOf(parts, 'features'))?.length === 0,
    projectId: common(valuesOf(parts, 'projects'))?.length === 0,
    environmentName: common(valuesOf(parts, 'environments'))?.length === 0,
    groupId: common(valuesOf(parts, 'groups'))?.length === 0,
    type: types?.length === 0,
    or: parts.some(({ or }) => or?.length === 0),
    not: parts.some(({ not }) => not !== undefined && Object.keys(not).length === 0),
  };
  return Object.keys(isNone).find((name) => isNone[name]) ?? null;
};

/** Rejects criteria that contradict themselves. Alternatives inside `or` are not checked. */
export const assertPossible = (criteria: EventCriteria): void => {
  const name = contradictionIn(criteria);
  if (name === null) return;
  throw BadDataError.of({
    message: `No event can match this filter: its conditions on '${name}' exclude every value.`,
  });
};

/** The ID and the timestamp after which nothing can match. */
export const endOf = (criteria: EventCriteria) => {
  const { idRange, ids, times } = readBounds(criteria);
  const lastId = ids === null ? idRange.before - 1 : Math.max(...ids);
  return {
    isPast: (id: number): boolean => id >= lastId,
    /** Whether that timestamp has passed. */
    isLate: (now = Date.now()): boolean => now >= times.before,
    /** Whether it passed so long ago that such events are no longer recorded. */
    isOver: (now = Date.now()): boolean => now >= times.before + GRACE_MS,
  };
};
