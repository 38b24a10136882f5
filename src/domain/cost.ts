/** Cost points: one point is about the work of returning one field of one item. GraphQL and REST use the same rates. */
export const COUNT_COST = 20;
export const COUNT_UP_TO_COST = 5;
/** Counting up to a limit is not cached. */
export const COUNTED_PER_POINT = 1_000;
/** Text search over a whole list. */
export const TEXT_COST = 10_000;
/** Text search over a short list: features, projects. */
export const SHORT_TEXT_COST = 100;
/** Parts of a text in every event, which no index finds. Cheaper than its payload. */
export const PATTERN_COST = 2_000;
/** The same over a short list. */
export const SHORT_PATTERN_COST = 50;
/** Sorting a whole list to return one page. */
export const SORT_COST = 50;
/** Every feature of a project is read, to count them or to find those to clean up. */
export const PROJECT_FEATURES_COST = 100;
/** A feature at a timestamp: up to 5,000 events are read and replayed. A default page of features stays possible. */
export const REPLAY_COST = 1_000;
/** Pairing the strategies of two states of a feature. */
export const COMPARE_COST = 50;
/** A clone reads and writes more than a page of a thousand fields. */
export const CLONE_COST = 1_000;
/** A health report returns every feature of its project, however many there are. */
export const HEALTH_COST = 10_000;
/** Finding an object by its key, besides the fields that are selected: each waits on its own. */
export const LOOKUP_COST = 10;
/** This many filter values cost as much as one item. */
export const VALUES_PER_ITEM = 10;
/** This many characters of a request cost one point, because even invalid requests are parsed. */
export const CHARACTERS_PER_POINT = 100;

/** Base cost of every request. */
export const requestCost = (characters: number): number =>
  1 + Math.floor(characters / CHARACTERS_PER_POINT);
