import { isObject } from '../../json.js';
import { type Aspects, recorded, type TagState } from './feature-state.js';
import { type HistoryEvent, isRecent } from './history-event.js';

type Tags = Aspects['tags'];

/** An event with the tags that its feature had when it was written. */
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

/** Null if the list contains anything but tags. */
const tagsIn = (list: unknown): readonly TagState[] | null => {
  if (!Array.isArray(list)) return null;
  const tags = list.flatMap((value) => tagIn(value) ?? []);
  return tags.length === list.length ? tags : null;
};

/** Whether an event records the tags, even if there are none. */
const carriesTags = (event: TaggedEvent): boolean => isRecent(event) && event.tags !== null;

/** An old event without tags may come from a version that recorded none, so it proves nothing. */
const recordedTags = (event: TaggedEvent, before: Tags): Tags => {
  const tags = tagsIn(event.tags ?? []);
  if (tags === null) return null;
  if (tags.length > 0 || carriesTags(event)) return recorded(tags);
  if (event.type === 'feature-created' && !isRecent(event)) return recorded([]);
  return before === null || before.value.length > 0 ? null : before;
};

const TAGGING: ReadonlySet<string> = new Set([
  'feature-tagged',
  'feature-untagged',
  'feature-tag-import',
]);

/** The tag that an event adds or removes. */
const changedTag = ({ data, preData }: TaggedEvent): TagState | null =>
  tagIn(data ?? preData) ?? tagIn(isObject(data) ? data['tag'] : null);

/** Tags after an event of the feature, which may itself change them. */
export const tagsAfter = (event: TaggedEvent, before: Tags): Tags => {
  const isTagging = TAGGING.has(event.type);
  // In an old log, tags are accumulated from event to event.
  const tags = isTagging && !carriesTags(event) && before ? before : recordedTags(event, before);
  if (!isTagging) return tags && recorded(sorted(tags.value));

  const changed = changedTag(event);
  if (tags === null || changed === null) return null;
  const others = tags.value.filter((tag) => !isSame(tag, changed));
  return recorded(sorted(event.type === 'feature-untagged' ? others : [...others, changed]));
};

/** Events that remove tags from all features, without an event for each. */
export const UNTAGGING_TYPES: readonly string[] = [
  'tag-deleted',
  'tag-type-deleted',
  'drop-tags',
  'drop-tag-types',
  'drop-feature-tags',
];

/** Tags of a feature after some, or all, were removed from every feature. */
export const tagsAfterRemoval = (
  { type, data, preData }: Pick<TaggedEvent, 'type' | 'data' | 'preData'>,
  before: Tags,
): Tags => {
  if (before === null) return null;
  if (type.startsWith('drop-')) return recorded([]);

  const payload = preData ?? data;
  if (type === 'tag-deleted') {
    const removed = tagIn(payload);
    return removed && recorded(before.value.filter((tag) => !isSame(tag, removed)));
  }
  const kind = isObject(payload) ? payload['name'] : undefined;
  return typeof kind === 'string'
    ? recorded(before.value.filter((tag) => tag.type !== kind))
    : null;
};
