import { memo, type RefObject, useEffect, useRef } from 'react';
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

/** An element that now shows another event must not keep the focus. */
const useFocusOf = (element: RefObject<HTMLElement | null>, id: number): void => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another event is shown.
  useEffect(
    () => () => {
      const focused = document.activeElement;
      if (focused instanceof HTMLElement && element.current?.contains(focused)) focused.blur();
    },
    [id],
  );
};

/** One event as a sentence, with when and where. The button covers the row. */
export const EventRow = memo(({ row, position, offset, isOpen, onOpen }: Props) => {
  const element = useRef<HTMLElement>(null);
  useFocusOf(element, row.id);
  return (
    <article
      ref={element}
      className="event-row"
      aria-posinset={position}
      data-event={row.id}
      aria-setsize={-1}
      data-open={isOpen || undefined}
      style={{ top: offset }}
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
        aria-controls={isOpen ? 'event-details' : undefined}
        aria-label={`${row.label}: what changed`}
        onClick={() => onOpen(isOpen ? '' : String(row.id))}
      >
        <span className="event-open-text">What changed</span> <span aria-hidden="true">›</span>
      </button>
    </article>
  );
});
