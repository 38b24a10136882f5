import { asObjects, isObject } from '../../json.js';
import { type Aspects, type TagState, told } from './feature-state.js';
import { type HistoryEvent, isRecent } from './history-event.js';

type Tags = Aspects['tags'];

/** An event with the tags its feature had when it was written. */
export type TaggedEvent = HistoryEvent & { preData: unknown; tags: unknown };

const tagIn = (value: unknown): TagState | null =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['value'] === 'string'
    ? { type: value['type'], value: value['value'] }
    : null;

const isSame = (one: TagState, other: TagState) =>
  one.type === other.type && one.value === other.value;

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

const sorted = (tags: readonly TagState[]): TagState[] =>
  [...tags].sort((a, b) => compare(a.type, b.type) || compare(a.value, b.value));

/** An old event without tags may come from a time that recorded none: it proves nothing. */
const recorded = (event: TaggedEvent, before: Tags): Tags => {
  const tags = asObjects(event.tags).flatMap((value) => tagIn(value) ?? []);
  if (tags.length > 0 || isRecent(event)) return told(tags);
  if (event.type === 'feature-created') return told([]);
  return before === null || before.value.length > 0 ? null : before;
};

/** The tags after an event of the feature, which the event itself may change. */
export const tagsAfter = (event: TaggedEvent, before: Tags): Tags => {
  const isOwn = event.type === 'feature-tagged' || event.type === 'feature-untagged';
  // Tags of an old log are counted up from event to event.
  const tags = isOwn && !isRecent(event) && before !== null ? before : recorded(event, before);
  if (!isOwn) return tags && told(sorted(tags.value));

  const changed = tagIn(event.data) ?? tagIn(event.preData);
  if (tags === null || changed === null) return null;
  const others = tags.value.filter((tag) => !isSame(tag, changed));
  return told(sorted(event.type === 'feature-tagged' ? [...others, changed] : others));
};
