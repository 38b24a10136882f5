import { isObject } from '../../json.js';
import { type Aspects, type TagState, told } from './feature-state.js';
import { type HistoryEvent, isRecent } from './history-event.js';

type Tags = Aspects['tags'];

/** An event with the tags its feature had when it was written. */
export type TaggedEvent = HistoryEvent & { tags: unknown };

const tagIn = (value: unknown): TagState | null =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['value'] === 'string'
    ? { type: value['type'], value: value['value'] }
    : null;

const isSame = (one: TagState, other: TagState) =>
  one.type === other.type && one.value === other.value;

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other));

const sorted = (tags: readonly TagState[]): TagState[] =>
  [...tags].sort((a, b) => compare(a.type, b.type) || compare(a.value, b.value));

/** All of a list of tags, or null if it holds anything else. */
const tagsIn = (list: unknown): readonly TagState[] | null => {
  if (!Array.isArray(list)) return null;
  const tags = list.flatMap((value) => tagIn(value) ?? []);
  return tags.length === list.length ? tags : null;
};

/** Whether an event tells the tags, be it that there are none. */
const carriesTags = (event: TaggedEvent): boolean => isRecent(event) && event.tags !== null;

/** An old event without tags may come from a time that recorded none: it proves nothing. */
const recorded = (event: TaggedEvent, before: Tags): Tags => {
  const tags = tagsIn(event.tags ?? []);
  if (tags === null) return null;
  if (tags.length > 0 || carriesTags(event)) return told(tags);
  if (event.type === 'feature-created' && !isRecent(event)) return told([]);
  return before === null || before.value.length > 0 ? null : before;
};

const TAGGING: ReadonlySet<string> = new Set([
  'feature-tagged',
  'feature-untagged',
  'feature-tag-import',
]);

/** The tag that an event puts on the feature or takes off it. */
const changedTag = ({ data, preData }: TaggedEvent): TagState | null =>
  tagIn(data ?? preData) ?? tagIn(isObject(data) ? data['tag'] : null);

/** The tags after an event of the feature, which the event itself may change. */
export const tagsAfter = (event: TaggedEvent, before: Tags): Tags => {
  const isTagging = TAGGING.has(event.type);
  // Tags of an old log are counted up from event to event.
  const tags = isTagging && !carriesTags(event) && before ? before : recorded(event, before);
  if (!isTagging) return tags && told(sorted(tags.value));

  const changed = changedTag(event);
  if (tags === null || changed === null) return null;
  const others = tags.value.filter((tag) => !isSame(tag, changed));
  return told(sorted(event.type === 'feature-untagged' ? others : [...others, changed]));
};

/** Events that take tags off all features which have them, without an event of any. */
export const UNTAGGING_TYPES: readonly string[] = [
  'tag-deleted',
  'tag-type-deleted',
  'drop-tags',
  'drop-tag-types',
  'drop-feature-tags',
];

/** The tags of a feature after some, or all, were taken off every feature. */
export const tagsLeftBy = (
  { type, data, preData }: Pick<TaggedEvent, 'type' | 'data' | 'preData'>,
  before: Tags,
): Tags => {
  if (before === null) return null;
  if (type.startsWith('drop-')) return told([]);

  const payload = preData ?? data;
  if (type === 'tag-deleted') {
    const gone = tagIn(payload);
    return gone && told(before.value.filter((tag) => !isSame(tag, gone)));
  }
  const kind = isObject(payload) ? payload['name'] : undefined;
  return typeof kind === 'string' ? told(before.value.filter((tag) => tag.type !== kind)) : null;
};
