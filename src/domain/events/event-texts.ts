import { CHANGE_REQUEST_TEXTS } from './event-change-request-texts.js';
import { FEATURE_TEXTS } from './event-feature-texts.js';
import { INSTALLATION_TEXTS } from './event-installation-texts.js';
import { PEOPLE_TEXTS } from './event-people-texts.js';
import type { EventText } from './event-phrases.js';
import { PROJECT_TEXTS } from './event-project-texts.js';
import { EVENT_TYPES, type EventTypeName } from './event-types.js';

export const EVENT_TEXTS: Readonly<Record<EventTypeName, EventText>> = {
  ...FEATURE_TEXTS,
  ...PROJECT_TEXTS,
  ...CHANGE_REQUEST_TEXTS,
  ...PEOPLE_TEXTS,
  ...INSTALLATION_TEXTS,
};

/** Labels of all known event types, in the order of the API document. */
export const EVENT_LABELS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, EVENT_TEXTS[type].label]),
) as Readonly<Record<EventTypeName, string>>;
