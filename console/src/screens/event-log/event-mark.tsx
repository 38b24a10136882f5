import type { EventType } from '../../generated/documents.js';

type Kind = 'on' | 'off' | 'added' | 'removed' | 'changed';

/** By the last word of the type. */
const KINDS: Readonly<Record<string, Kind>> = {
  ENABLED: 'on',
  DISABLED: 'off',
  ADD: 'added',
  ADDED: 'added',
  CREATED: 'added',
  FAVORITED: 'added',
  IMPORT: 'added',
  IMPORTED: 'added',
  REVIVED: 'added',
  TAGGED: 'added',
  ARCHIVED: 'removed',
  DELETED: 'removed',
  REMOVE: 'removed',
  REMOVED: 'removed',
  UNFAVORITED: 'removed',
  UNTAGGED: 'removed',
};

const PATHS: Record<Kind, string> = {
  on: 'M3 8.5l3.5 3.5L13 4.5',
  off: 'M4 4l8 8M12 4l-8 8',
  added: 'M8 3v10M3 8h10',
  removed: 'M3 8h10',
  changed: 'M3 13l1-3.5L10.5 3 13 5.5 6.5 12z',
};

const kindOf = (type: EventType): Kind => KINDS[type.split('_').at(-1) ?? ''] ?? 'changed';

/** What kind of change an event is, at a glance. The sentence beside it says the same. */
export const EventMark = ({ type }: { type: EventType }) => {
  const kind = kindOf(type);
  return (
    <svg className="event-mark" data-kind={kind} viewBox="-6 -6 28 28" aria-hidden="true">
      <circle cx="8" cy="8" r="14" />
      <path d={PATHS[kind]} />
    </svg>
  );
};
