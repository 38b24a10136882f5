import { type EventReader, named } from './event-reader.js';
import type { EventTypeName } from './event-types.js';

export type EventText = {
  label: string;
  /** The summary: one sentence without a full stop. */
  text: (event: EventReader) => string;
};

export type EventTexts = Partial<Record<EventTypeName, EventText>>;

/** Somebody did something to a thing that the payload names in one of the given fields. */
export const did =
  (verb: string, kind: string, keys: readonly string[] = ['name', 'id']): EventText['text'] =>
  (event) =>
    `${event.who} ${verb} ${named(kind, event.now(...keys))}${event.place}`;

/** The same for a change that may have touched the name itself. */
export const updated =
  (kind: string, keys: readonly string[] = ['name', 'id']): EventText['text'] =>
  (event) => {
    const before = event.was(...keys);
    const after = event.now(...keys);
    const renamed = before === after ? '' : ` (now ${after})`;
    return `${event.who} updated ${named(kind, before)}${renamed}${event.place}`;
  };

/** A sentence that depends on nothing but its author. */
export const plainly =
  (deed: string): EventText['text'] =>
  (event) =>
    `${event.who} ${deed}`;
