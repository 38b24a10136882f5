import {
  type EventConditions,
  type EventCriteria,
  type EventTextList,
  isNarrow,
} from '../../data/events/event-conditions.sql.js';
import { assertPattern, assertSearchText, assertText } from '../text.js';
import { assertTouchedPath } from './changes/touched-path.js';

export type { EventConditions, EventCriteria, EventTextList };

/** The criteria and all nested ones. */
const partsOf = (criteria: EventCriteria): EventCriteria[] => {
  const { and = [], or = [], not } = criteria;
  return [criteria, ...[...and, ...or, ...(not ? [not] : [])].flatMap(partsOf)];
};

const hasAny = (criteria: EventCriteria, names: readonly (keyof EventConditions)[]): boolean =>
  partsOf(criteria).some((part) => names.some((name) => part[name] !== undefined));

/** Criteria that no index serves in ID order: reading one page may scan the whole log. */
export const isHard = (criteria: EventCriteria): boolean =>
  readsPayloads(criteria) ||
  hasAny(criteria, ['from', 'before', 'creatorNames', 'groups']) ||
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

/** Whether matching requires reading each event, mostly its payload, because no index finds the matches. */
export const readsPayloads = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['text', 'touches', 'tag', 'patterns']);

export const readsAuthors = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['creators', 'creatorFrom', 'creatorBefore']);

export const readsGroups = (criteria: EventCriteria): boolean =>
  hasAny(criteria, ['groups']) ||
  partsOf(criteria).some(({ patterns }) => patterns?.groups !== undefined);

/** Texts that every match contains; only these can be found with an index. */
export const textsOfAll = ({ text, and = [] }: EventCriteria): string[] => [
  ...(text === undefined ? [] : [text]),
  ...and.flatMap(textsOfAll),
];

/** Rejects texts and paths that no event could match, such as texts that PostgreSQL cannot store. */
export const assertEventCriteria = (criteria: EventCriteria): void => {
  for (const part of partsOf(criteria)) {
    assertSearchText('The search text', part.text ?? '');
    if (part.touches !== undefined) assertTouchedPath(part.touches);
    assertText('A feature name of the search', ...(part.features ?? []));
    assertText('A project id of the search', ...(part.projects ?? []));
    assertText('An environment of the search', ...(part.environments ?? []));
    assertText('A group of the search', ...(part.groups ?? []));
    assertText('An event type of the search', ...(part.types ?? []));
    assertText('The name of an author of the search', ...(part.creatorNames ?? []));
    assertText('The tag of the search', part.tag?.type ?? '', part.tag?.value ?? '');
    for (const pattern of Object.values(part.patterns ?? {})) {
      assertPattern('A text of the search', pattern);
    }
  }
};
