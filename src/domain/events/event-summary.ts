import { markdown, plain } from './event-markdown.js';
import { type EventFacts, EventTextParts } from './event-text-parts.js';
import { EVENT_TEXTS } from './event-texts.js';
import { isKnownEventType } from './event-types.js';

export type EventDescription = {
  /** Plain text. */
  label: string;
  /** Markdown, one line. */
  summary: string;
};

const labelOfUnknown = (type: string): string => {
  const text = plain(type)
    .replace(/[-_ ]+/g, ' ')
    .trim();
  return text === '' ? 'Unnamed event' : text.charAt(0).toUpperCase() + text.slice(1);
};

/** The label of all events of a type, known or not. */
export const eventTypeLabel = (type: string): string =>
  isKnownEventType(type) ? EVENT_TEXTS[type].label : labelOfUnknown(type);

const summaryOfUnknown = (
  type: string,
  event: EventTextParts,
  featureName: string | null,
): string => {
  const name = markdown(type);
  const description = name === '' ? 'an event without a type' : `an event of type ${name}`;
  const subject = featureName ? ` for ${event.feature}` : '';
  return `${event.who} caused ${description}${subject}${event.place}`;
};

/** Accepts any row; never throws. */
export const describeEvent = (
  event: EventFacts,
  options: { adminUiUrl: string },
): EventDescription => {
  const reader = new EventTextParts(event, options.adminUiUrl.replace(/\/+$/, ''));
  if (!isKnownEventType(event.type)) {
    return {
      label: eventTypeLabel(event.type),
      summary: summaryOfUnknown(event.type, reader, event.featureName),
    };
  }

  const { label, text } = EVENT_TEXTS[event.type];
  return { label, summary: text(reader) };
};
