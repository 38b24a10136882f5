import { BadDataError } from '../errors.js';
import type { EventConditions, EventCriteria } from './event-criteria.js';

/** Somebody may have begun to record an event before a moment and finish long after it. */
const GRACE_MS = 3_600_000;

/** What must hold of every match: the criteria themselves and those joined by `and`. */
const conjunctsOf = (criteria: EventCriteria): EventCriteria[] => [
  criteria,
  ...(criteria.and ?? []).flatMap(conjunctsOf),
];

const given = <Name extends keyof EventConditions>(
  parts: readonly EventCriteria[],
  name: Name,
): NonNullable<EventConditions[Name]>[] =>
  parts.flatMap((part) => (part[name] === undefined ? [] : [part[name]]));

/** The values that are in all of the lists; null where there is no list. */
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

const numbersLeft = (numbers: readonly number[] | null, { from, before }: Range) =>
  numbers?.filter((number) => number >= from && number < before) ?? null;

const readBounds = (criteria: EventCriteria) => {
  const parts = conjunctsOf(criteria);
  const idRange = rangeOf(given(parts, 'idFrom'), given(parts, 'idBefore'));
  const creatorRange = rangeOf(given(parts, 'creatorFrom'), given(parts, 'creatorBefore'));
  return {
    parts,
    idRange,
    ids: numbersLeft(common(given(parts, 'ids')), idRange),
    creatorRange,
    creators: numbersLeft(common(given(parts, 'creators')), creatorRange),
    times: rangeOf(given(parts, 'from'), given(parts, 'before')),
  };
};

/** Names the condition that leaves nothing through; null where none is seen to. */
const contradictionIn = (criteria: EventCriteria): string | null => {
  const { parts, idRange, ids, creatorRange, creators, times } = readBounds(criteria);
  const unwantedTypes = new Set(given(parts, 'typesOtherThan').flat());
  const types = common(given(parts, 'types'))?.filter((type) => !unwantedTypes.has(type));
  const isNone: Record<string, boolean> = {
    id: isEmpty(idRange) || ids?.length === 0,
    createdAt: isEmpty(times),
    createdBy: isEmpty(creatorRange) || creators?.length === 0,
    createdByName: common(given(parts, 'creatorNames'))?.length === 0,
    feature: common(given(parts, 'features'))?.length === 0,
    project: common(given(parts, 'projects'))?.length === 0,
    environment: common(given(parts, 'environments'))?.length === 0,
    type: types?.length === 0,
    or: parts.some(({ or }) => or?.length === 0),
    not: parts.some(({ not }) => not !== undefined && Object.keys(not).length === 0),
  };
  return Object.keys(isNone).find((name) => isNone[name]) ?? null;
};

/** Refuses criteria that contradict themselves, whatever will be recorded; alternatives inside `or` are not judged. */
export const assertPossible = (criteria: EventCriteria): void => {
  const name = contradictionIn(criteria);
  if (name === null) return;
  throw BadDataError.of({
    message: `No event can ever match this filter: what it asks of '${name}' leaves nothing.`,
  });
};

/** When nothing more can match: behind an id, and from a moment on. */
export const endOf = (criteria: EventCriteria) => {
  const { idRange, ids, times } = readBounds(criteria);
  const lastId = ids === null ? idRange.before - 1 : Math.max(...ids);
  return {
    isPast: (id: number): boolean => id >= lastId,
    /** Whether that moment has come. */
    isLate: (now = Date.now()): boolean => now >= times.before,
    /** Whether it came so long ago that nobody records such events any more. */
    isOver: (now = Date.now()): boolean => now >= times.before + GRACE_MS,
  };
};
