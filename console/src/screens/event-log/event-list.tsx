import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { EventRowFragment } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { useIsNarrow } from '../../ui/use-is-narrow.js';
import { useShortcuts } from '../../ui/use-shortcuts.js';
import { EventRow } from './event-row.js';

/** Sentences have one line; on phones three. As in `event-log.css`. */
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [64, 108];
/** Rows before the end at which the next page is requested. */
const AHEAD = 30;

type Props = {
  rows: readonly EventRowFragment[];
  isLoading: boolean;
  hasProblem: boolean;
  openEvent: string;
  onOpen: (id: string) => void;
  onEnd: () => void;
};

/** Only the visible rows exist: a million events scroll like a hundred. */
export const EventList = ({ rows, isLoading, hasProblem, openEvent, onOpen, onEnd }: Props) => {
  const rowHeight = useIsNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height have other places.
  useEffect(() => virtual.measure(), [rowHeight]);
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastIndex >= rows.length - AHEAD) onEnd();
  }, [lastIndex, rows.length, onEnd]);

  const step = (by: number) => {
    const current = rows.findIndex(({ id }) => String(id) === openEvent);
    const index = Math.min(Math.max(current + by, 0), rows.length - 1);
    const row = rows[index];
    if (!row) return;
    onOpen(String(row.id));
    virtual.scrollToIndex(index);
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });

  if (rows.length === 0 && hasProblem) return null;
  if (rows.length === 0 && !isLoading) {
    return (
      <section className="notice">
        <h2>No events match.</h2>
        <p>Remove a filter to see more.</p>
      </section>
    );
  }
  return (
    <div className="event-scroller" ref={scroller} tabIndex={-1}>
      <div
        className="event-rows"
        role="feed"
        aria-busy={isLoading}
        aria-label="Events, newest first"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map(({ index, key, start }) => {
          const row = rows[index];
          return row ? (
            <EventRow
              key={key}
              row={row}
              position={index + 1}
              offset={start}
              isOpen={String(row.id) === openEvent}
              onOpen={onOpen}
            />
          ) : null;
        })}
      </div>
      {isLoading && rows.length === 0 ? <Loading what="events" rows={9} /> : null}
      {isLoading && rows.length > 0 ? (
        <p className="event-more" role="status">
          Loading …
        </p>
      ) : null}
    </div>
  );
};
