import { assertSearchText, assertText } from '../text.js';

/** Conditions on a single event; all that are present must match. */
export type EventConditions = {
  /** Literal text, matched case-insensitively in the payload, the previous payload or the tags. */
  text?: string;
  /** A path that changed, as shown in the changes of an event. */
  touches?: string;
  ids?: readonly number[];
  /** Inclusive. */
  idFrom?: number;
  /** Exclusive. */
  idBefore?: number;
  features?: readonly string[];
  projects?: readonly string[];
  environments?: readonly string[];
  /** IDs of groups of events that were written together. */
  groups?: readonly string[];
  types?: readonly string[];
  /** Excludes these types. */
  typesOtherThan?: readonly string[];
  /** User IDs of the authors. */
  creators?: readonly number[];
  /** Inclusive. */
  creatorFrom?: number;
  /** Exclusive. */
  creatorBefore?: number;
  /** Author names, as recorded. */
  creatorNames?: readonly string[];
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

/** Search criteria for the event log. */
export type EventCriteria = EventConditions & {
  /** All of these must match. */
  and?: readonly EventCriteria[];
  /** At least one must match; an empty list matches nothing. */
  or?: readonly EventCriteria[];
  /** Must not match. Events that lack the tested value match, so a filter and its negation cover all events. */
  not?: EventCriteria;
};

/** The criteria and all nested ones. */
const partsOf = (criteria: EventCriteria): EventCriteria[] => {
  const { and = [], or = [], not } = criteria;
  return [criteria, ...[...and, ...or, ...(not ? [not] : [])].flatMap(partsOf)];
};

const hasAny = (criteria: EventCriteria, names: readonly (keyof EventConditions)[]): boolean =>
  partsOf(criteria).some((part) => names.some((name) => part[name] !== undefined));

/** Features whose events an index finds faster than a scan. */
const FEW_FEATURES = 100;

/** Whether an index leads to the few events among which the matches are. */
export const isNarrow = ({ ids, features, and = [] }: EventCriteria): boolean =>
  ids !== undefined ||
  (features !== undefined && features.length <= FEW_FEATURES) ||
  and.some(isNarrow);

/** Criteria that no index serves in ID order: reading one page may scan the whole log. */
export const isHard = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['text', 'touches', 'from', 'before', 'creatorNames', 'groups']) ||
  isExclusion(criteria);

/** Whether events are excluded and no index leads to the others. */
export const isExclusion = (criteria: EventCriteria): boolean =>
  !isNarrow(criteria) &&
  partsOf(criteria).some(
    ({ not, typesOtherThan }) => not !== undefined || typesOtherThan !== undefined,
  );

const COMMON: readonly (keyof EventConditions)[] = [
  'projects',
  'environments',
  'types',
  'creators',
  'creatorFrom',
  'creatorBefore',
];

/** Whether conditions are combined, each of which an index serves, but which may never be met by the same event. */
export const isCombination = (criteria: EventCriteria): boolean => {
  if (isNarrow(criteria)) return false;
  const parts = partsOf(criteria);
  return COMMON.filter((name) => parts.some((part) => part[name] !== undefined)).length > 1;
};

/** Whether matching requires reading the payload of each event. */
export const readsPayloads = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['text', 'touches']);

export const readsAuthors = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['creators', 'creatorFrom', 'creatorBefore']);

export const readsGroups = (criteria: EventCriteria): boolean => hasAny(criteria, ['groups']);

/** Texts that every match contains; only these can be found with an index. */
export const textsOfAll = ({ text, and = [] }: EventCriteria): string[] => [
  ...(text === undefined ? [] : [text]),
  ...and.flatMap(textsOfAll),
];

/** Rejects texts that PostgreSQL cannot store, since no event could match them. */
export const assertEventCriteria = (criteria: EventCriteria): void => {
  for (const part of partsOf(criteria)) {
    assertSearchText('The search text', part.text ?? '');
    assertText('A feature name of the search', ...(part.features ?? []));
    assertText('A project id of the search', ...(part.projects ?? []));
    assertText('An environment of the search', ...(part.environments ?? []));
    assertText('A group of the search', ...(part.groups ?? []));
    assertText('An event type of the search', ...(part.types ?? []));
    assertText('The name of an author of the search', ...(part.creatorNames ?? []));
  }
};
