import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { EventRowFragment } from '../../generated/documents.js';
import { Loading } from '../../ui/loading.js';
import { useIsNarrow } from '../../ui/use-is-narrow.js';
import { useShortcuts } from '../../ui/use-shortcuts.js';
import { EventRow } from './event-row.js';

/** Sentences have one line; on phones three. As in `event-log.css`. */
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [64, 108];
/** Rows before the end at which the next page is requested. */
const AHEAD = 30;
/** Rows that exist above and below the visible ones. */
const OVERSCAN = 5;

type Props = {
  rows: readonly EventRowFragment[];
  /** How many of the rows were added at the top since the list was loaded. */
  liveRows: number;
  hasMore: boolean;
  hasProblem: boolean;
  /** Whether a text is searched. */
  hasText: boolean;
  openEvent: string;
  /** Where a list that is shown again was scrolled to. */
  offset: number;
  /** Called with the place of the list when the screen is left. */
  onLeave: (offset: number) => void;
  onOpen: (id: string) => void;
  onEnd: () => void;
};

/** What is being read stays where it is while the list grows above it. */
const useKeepPlace = (
  scroller: RefObject<HTMLDivElement | null>,
  liveRows: number,
  rowHeight: number,
): void => {
  const before = useRef(liveRows);
  useLayoutEffect(() => {
    const added = liveRows - before.current;
    before.current = liveRows;
    const element = scroller.current;
    if (added > 0 && element && element.scrollTop > 0) element.scrollTop += added * rowHeight;
  }, [scroller, liveRows, rowHeight]);
};

/** The row above or below the opened event, which a link can open although it is not among the rows. Rows have falling IDs. */
const indexAfter = (rows: readonly EventRowFragment[], openEvent: string, by: number): number => {
  if (openEvent === '') return 0;
  const current = rows.findIndex(({ id }) => id <= Number(openEvent));
  // Older than all that is loaded.
  if (current === -1) return -1;
  const isAmongRows = String(rows[current]?.id) === openEvent;
  const next = isAmongRows || by < 0 ? current + by : current;
  return Math.min(Math.max(next, 0), rows.length - 1);
};

/**
 * Moves the focus to the row of an event once that exists: rows are created while the list scrolls, and when it gets another
 * size. When the details are closed, the focus returns from them to their row.
 */
const useRowFocus = (scroller: RefObject<HTMLDivElement | null>, openEvent: string) => {
  const wanted = useRef('');
  const before = useRef(openEvent);
  useEffect(() => {
    const hasFocus = document.activeElement?.matches('button, a, input') ?? false;
    if (openEvent === '' && before.current !== '' && !hasFocus) wanted.current = before.current;
    before.current = openEvent;
    if (wanted.current === '') return;
    const row = `[data-event="${wanted.current}"] .event-open`;
    const button = scroller.current?.querySelector<HTMLElement>(row);
    if (!button) return;
    wanted.current = '';
    button.focus({ preventScroll: true });
  });
  return useCallback((id: string) => {
    wanted.current = id;
  }, []);
};

/** Only the visible rows exist: a million events scroll like a hundred. */
export const EventList = (props: Props) => {
  const { rows, liveRows, hasMore, hasProblem, hasText, openEvent, offset, onLeave } = props;
  const { onOpen, onEnd } = props;
  const rowHeight = useIsNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // Another function makes the virtualizer measure every row again.
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: OVERSCAN,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height have other places.
  useEffect(() => virtual.measure(), [rowHeight]);
  const items = virtual.getVirtualItems();
  // Elements of rows that leave the screen are used again: removing them costs more frames than the rows themselves.
  const places = Math.ceil((virtual.scrollRect?.height ?? 0) / rowHeight) + 1 + 2 * OVERSCAN;
  useKeepPlace(scroller, liveRows, rowHeight);
  const focusRow = useRowFocus(scroller, openEvent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the screen is shown, and when it is left.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && offset > 0) element.scrollTop = offset;
    return () => onLeave(scroller.current?.scrollTop ?? element?.scrollTop ?? 0);
  }, []);
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastIndex >= rows.length - AHEAD) onEnd();
  }, [lastIndex, rows.length, onEnd]);

  const step = (by: number) => {
    const index = indexAfter(rows, openEvent, by);
    const row = rows[index];
    if (!row) return;
    onOpen(String(row.id));
    focusRow(String(row.id));
    virtual.scrollToIndex(index);
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });

  if (rows.length === 0 && hasProblem) return null;
  if (rows.length === 0 && !hasMore) {
    return (
      <section className="notice">
        <h2>No events match.</h2>
        <p>Remove a filter to see more.</p>
        {hasText ? (
          <p>
            The search finds text in the recorded data. To find a feature, a person or a kind of
            change, choose a feature, an author or a type.
          </p>
        ) : null}
      </section>
    );
  }
  return (
    <div className="event-scroller" ref={scroller} tabIndex={-1}>
      <div
        className="event-rows"
        role="feed"
        aria-busy={rows.length === 0}
        aria-label="Events, newest first"
        data-scrolling={virtual.isScrolling || undefined}
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row ? (
            <EventRow
              key={(index - liveRows) % places}
              row={row}
              position={index + 1}
              offset={start}
              isOpen={String(row.id) === openEvent}
              onOpen={onOpen}
            />
          ) : null;
        })}
      </div>
      {rows.length === 0 ? <Loading what="events" rows={9} /> : null}
      {rows.length > 0 && hasMore && !hasProblem ? (
        <p className="event-more" role="status">
          Loading …
        </p>
      ) : null}
    </div>
  );
};
