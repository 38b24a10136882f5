import { isAtLeast } from '../version.js';
import { isRecord } from './requests.js';

const ID =
  /^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/;

export type NormalizeOptions = {
  /** Name of the copy. */
  name: string;
  /** Timestamps from here on belong to the copy. */
  since: string;
  version: string;
};

const isEvent = (value: Record<string, unknown>) =>
  typeof value['type'] === 'string' && 'data' in value && 'featureName' in value;

const without = (record: Record<string, unknown>, ...keys: string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

/** Removes what newer versions write differently: D-NEW-1, D-NEW-3 and D-NEW-9. */
const withoutNewer = (event: Record<string, unknown>, version: string) => {
  const remaining = isAtLeast(version, '7.0.0') ? without(event, 'groupType', 'groupId') : event;
  const { type, data } = remaining;
  if (type !== 'feature-created' || !isRecord(data)) return remaining;
  const removedKeys = [
    ...(isAtLeast(version, '6.10.0') ? ['archivedAt'] : []),
    ...(isAtLeast(version, '8.0.0') ? ['lastSeenAt'] : []),
  ];
  return { ...remaining, data: without(data, ...removedKeys) };
};

const isSince = (text: string, since: string) =>
  TIME.test(text) && Date.parse(text) >= Date.parse(since);

const normalizeText = (text: string, { name, since }: NormalizeOptions) => {
  if (ID.test(text)) return '<id>';
  return isSince(text, since) ? '<time>' : text.replaceAll(name, '<name>');
};

/**
 * Removes the name, IDs and timestamps of the copy. Compares lists as sets, because upstream writes strategies and
 * their events in any order (D-CLONE-12).
 */
export const normalize = (value: unknown, options: NormalizeOptions): unknown => {
  if (typeof value === 'string') return normalizeText(value, options);
  if (Array.isArray(value)) {
    return value
      .map((item) => normalize(item, options))
      .map((item) => ({ item, text: JSON.stringify(item) }))
      .sort((a, b) => (a.text < b.text ? -1 : 1))
      .map(({ item }) => item);
  }
  if (!isRecord(value)) return value;
  const record = isEvent(value) ? withoutNewer(value, options.version) : value;
  return Object.fromEntries(
    Object.entries(record)
      // Upstream takes these from whichever environment the database returns first.
      .filter(([key]) => !(key === 'variants' && 'environments' in value))
      .map(([key, item]) => [
        key,
        key === 'id' && typeof item === 'number' ? '<id>' : normalize(item, options),
      ]),
  );
};
