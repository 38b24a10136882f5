import { assertText } from '../text.js';

/** What to search the event log for; every condition that is present must hold. */
export type EventCriteria = {
  /** Literal text found, in any letter case, in the payload, the previous payload or the tags. */
  text?: string;
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
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  before?: Date;
};

/** Refuses criteria no recorded event could ever meet because they are no storable text. */
export const assertEventCriteria = (criteria: EventCriteria): void => {
  assertText('The search text', criteria.text ?? '');
  assertText('A feature name of the search', ...(criteria.features ?? []));
  assertText('A project id of the search', ...(criteria.projects ?? []));
  assertText('An environment of the search', ...(criteria.environments ?? []));
  assertText('An event type of the search', ...(criteria.types ?? []));
};
