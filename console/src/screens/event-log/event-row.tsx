import { memo } from 'react';
import type { EventRowFragment } from '../../generated/documents.js';
import { Sentence } from '../../ui/sentence.js';
import { Time } from '../../ui/time.js';
import { EventMark } from './event-mark.js';

type Props = {
  row: EventRowFragment;
  /** Position in the list, from 1. */
  position: number;
  /** Distance from the top of the list in pixels. */
  offset: number;
  isOpen: boolean;
  onOpen: (id: string) => void;
};

/** One event as a sentence, with when and where. The button covers the row. */
export const EventRow = memo(({ row, position, offset, isOpen, onOpen }: Props) => (
  <article
    className="event-row"
    aria-posinset={position}
    aria-setsize={-1}
    data-open={isOpen || undefined}
    style={{ transform: `translateY(${offset}px)` }}
  >
    <EventMark type={row.type} />
    <p className="event-sentence">
      <Sentence markdown={row.summary} />
    </p>
    <p className="event-facts">
      <Time value={row.createdAt} />
      {row.projectId === null ? null : <span className="chip">{row.projectId}</span>}
      {row.environmentName === null ? null : <span className="chip">{row.environmentName}</span>}
      <span className="event-label">{row.label}</span>
    </p>
    <button
      type="button"
      className="event-open"
      aria-expanded={isOpen}
      aria-label={`${row.label}: what changed`}
      onClick={() => onOpen(isOpen ? '' : String(row.id))}
    >
      <span className="event-open-text">What changed</span> <span aria-hidden="true">›</span>
    </button>
  </article>
));
