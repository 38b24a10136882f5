import { assertSearchText, assertText } from '../text.js';

/** Conditions on a single event; every one that is present must hold. */
export type EventConditions = {
  /** Literal text found, in any letter case, in the payload, the previous payload or the tags. */
  text?: string;
  /** A path as the changes of an event show it, at which something changed. */
  touches?: string;
  ids?: readonly number[];
  /** Inclusive. */
  idFrom?: number;
  /** Exclusive. */
  idBefore?: number;
  features?: readonly string[];
  projects?: readonly string[];
  environments?: readonly string[];
  types?: readonly string[];
  /** Leaves these types out. */
  typesOtherThan?: readonly string[];
  /** Numeric ids of the authors. */
  creators?: readonly number[];
  /** Inclusive. */
  creatorFrom?: number;
  /** Exclusive. */
  creatorBefore?: number;
  /** Names of the authors, as recorded. */
  creatorNames?: readonly string[];
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

/** What to search the event log for: conditions, and what else must hold beside them. */
export type EventCriteria = EventConditions & {
  /** All of these. */
  and?: readonly EventCriteria[];
  /** At least one of these; of none there is none. */
  or?: readonly EventCriteria[];
  /** Not this: also met by events that lack what it asks about, so that both together are all events. */
  not?: EventCriteria;
};

/** The criteria themselves and all those inside of them. */
const partsOf = (criteria: EventCriteria): EventCriteria[] => {
  const { and = [], or = [], not } = criteria;
  return [criteria, ...[...and, ...or, ...(not ? [not] : [])].flatMap(partsOf)];
};

const hasAny = (criteria: EventCriteria, names: readonly (keyof EventConditions)[]): boolean =>
  partsOf(criteria).some((part) => names.some((name) => part[name] !== undefined));

/** Criteria no index gives in the order of ids: walking the log for a page of them may mean reading all of it. */
export const isHard = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['text', 'touches', 'from', 'before', 'creatorNames']);

/** Whether events must be read one by one, payload and all, to find those that match. */
export const readsPayloads = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['text', 'touches']);

export const readsAuthors = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['creators', 'creatorFrom', 'creatorBefore']);

/** Whether an index leads to the few events among which the matches are. */
export const isNarrow = ({ ids, features, and = [] }: EventCriteria): boolean =>
  ids !== undefined || features !== undefined || and.some(isNarrow);

/** Texts that every match holds; only these can be found with an index. */
export const textsOfAll = ({ text, and = [] }: EventCriteria): string[] => [
  ...(text === undefined ? [] : [text]),
  ...and.flatMap(textsOfAll),
];

/** Refuses criteria no recorded event could ever meet because they are no storable text. */
export const assertEventCriteria = (criteria: EventCriteria): void => {
  for (const part of partsOf(criteria)) {
    assertSearchText('The search text', part.text ?? '');
    assertText('A feature name of the search', ...(part.features ?? []));
    assertText('A project id of the search', ...(part.projects ?? []));
    assertText('An environment of the search', ...(part.environments ?? []));
    assertText('An event type of the search', ...(part.types ?? []));
    assertText('The name of an author of the search', ...(part.creatorNames ?? []));
  }
};
