import { EVENT_LABELS } from '../../domain/events/event-texts.js';
import { EVENT_TYPES, type EventTypeName } from '../../domain/events/event-types.js';
import { builder } from '../builder.js';

export const OTHER = 'OTHER';
const enumName = (type: string) => type.replaceAll('-', '_').toUpperCase();

const nameOf = new Map<string, string>(EVENT_TYPES.map((type) => [type, enumName(type)]));

export const EventType = builder.enumType('EventType', {
  description:
    'Event type. Types newer than this gateway are OTHER; `typeName` has the recorded name.',
  values: Object.fromEntries<{ value: EventTypeName | typeof OTHER; description: string }>([
    ...EVENT_TYPES.map(
      (type) =>
        [
          enumName(type),
          { value: type, description: `${EVENT_LABELS[type]}. Recorded as \`${type}\`.` },
        ] as const,
    ),
    [OTHER, { value: OTHER, description: 'A type unknown to this gateway.' }],
  ]),
});

export const toEventType = (type: string) => (nameOf.has(type) ? (type as EventTypeName) : OTHER);
