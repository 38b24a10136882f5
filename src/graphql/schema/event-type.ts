import { EVENT_LABELS } from '../../domain/events/event-texts.js';
import { EVENT_TYPES, type EventTypeName } from '../../domain/events/event-types.js';
import { builder } from '../builder.js';

export const OTHER = 'OTHER';
const enumName = (type: string) => type.replaceAll('-', '_').toUpperCase();

/** Both directions between the recorded spelling and the enum's: `feature-created`, `FEATURE_CREATED`. */
const nameOf = new Map<string, string>(EVENT_TYPES.map((type) => [type, enumName(type)]));

export const EventType = builder.enumType('EventType', {
  description:
    'What happened. A database may hold types newer than this gateway: those are OTHER, and `typeName` tells them.',
  values: Object.fromEntries<{ value: EventTypeName | typeof OTHER; description: string }>([
    ...EVENT_TYPES.map(
      (type) =>
        [
          enumName(type),
          { value: type, description: `${EVENT_LABELS[type]}; recorded as \`${type}\`.` },
        ] as const,
    ),
    [OTHER, { value: OTHER, description: 'A type this gateway does not know.' }],
  ]),
});

export const toEventType = (type: string) => (nameOf.has(type) ? (type as EventTypeName) : OTHER);
