import { type EventTextParts, named } from './event-text-parts.js';
import type { EventTypeName } from './event-types.js';

export type EventText = {
  label: string;
  /** The summary: one sentence without a period. */
  text: (event: EventTextParts) => string;
};

export type EventTexts = Partial<Record<EventTypeName, EventText>>;

/** States that the author did something to an object, which the payload names in one of `keys`. */
export const actionOn =
  (verb: string, kind: string, keys: readonly string[] = ['name', 'id']): EventText['text'] =>
  (event) =>
    `${event.who} ${verb} ${named(kind, event.now(...keys))}${event.place}`;

/** The same for a change that may include the name itself. */
export const updated =
  (kind: string, keys: readonly string[] = ['name', 'id']): EventText['text'] =>
  (event) => {
    const before = event.was(...keys);
    const after = event.now(...keys);
    const renamed = before === after ? '' : ` (now ${after})`;
    return `${event.who} updated ${named(kind, before)}${renamed}${event.place}`;
  };

/** A sentence that depends only on the author. */
export const authorAction =
  (action: string): EventText['text'] =>
  (event) =>
    `${event.who} ${action}`;
