import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import { type KeyboardEvent, memo, type ReactNode, useState } from 'react';
import type { EventLogFactsQuery } from '../../generated/documents.js';
import { countOf } from '../../ui/count.js';

const [WIDTH, HEIGHT] = [910, 40];
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

type Props = {
  activity: EventLogFactsQuery['activity'] | undefined;
  /** The chosen days. */
  from: string;
  to: string;
  onSelect: (from: string, to: string) => void;
  /** The link to the query of the total and the activity. */
  query: ReactNode;
};

const dayText = (from: string | undefined): string =>
  from === undefined ? '\u00a0' : DAY.format(new Date(from));

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Arrow keys move between the days, so that the strip is one stop of the Tab key. */
const useRovingFocus = (count: number) => {
  const [chosen, setChosen] = useState<number | null>(null);
  const stop = Math.min(chosen ?? count - 1, count - 1);
  const move = (event: KeyboardEvent<Element>, to: number): void => {
    const days = event.currentTarget.parentElement?.querySelectorAll<SVGElement>('.activity-day');
    const index = Math.min(Math.max(to, 0), count - 1);
    event.preventDefault();
    setChosen(index);
    days?.[index]?.focus();
  };
  const onKey = (event: KeyboardEvent<Element>, index: number): void => {
    const step = STEPS[event.key];
    if (step !== undefined) move(event, index + step);
    else if (event.key === 'Home') move(event, 0);
    else if (event.key === 'End') move(event, count - 1);
  };
  return { stop, onKey, onFocus: setChosen };
};

/** Events per day. A day is a button that filters by it. */
export const ActivityStrip = memo((props: Props) => {
  const { activity, from: firstDay, to: lastDay, onSelect, query } = props;
  const buckets = activity?.buckets ?? [];
  const focus = useRovingFocus(buckets.length);
  const days = scaleBand({
    domain: buckets.map(({ from }) => from),
    range: [0, WIDTH],
    padding: 0.2,
  });
  const counts = scaleLinear({
    domain: [0, Math.max(1, ...buckets.map(({ count }) => count))],
    range: [0, HEIGHT - 2],
  });
  return (
    <figure className="activity">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-label="Events per day"
      >
        {buckets.map(({ from, count }, index) => {
          const day = from.slice(0, 10);
          const isChosen = firstDay === day && lastDay === day;
          const height = count === 0 ? 1 : Math.max(2, counts(count));
          const select = () => (isChosen ? onSelect('', '') : onSelect(day, day));
          const text = `${DAY.format(new Date(from))}: ${countOf(count, 'event')}`;
          return (
            <Bar
              key={from}
              className="activity-day"
              data-chosen={isChosen || undefined}
              role="button"
              tabIndex={index === focus.stop ? 0 : -1}
              aria-pressed={isChosen}
              aria-label={text}
              x={days(from) ?? 0}
              y={HEIGHT - height}
              width={days.bandwidth()}
              height={height}
              onClick={select}
              onFocus={() => focus.onFocus(index)}
              onKeyDown={(event) => {
                focus.onKey(event, index);
                if (event.key !== 'Enter' && event.key !== ' ') return;
                // Space would scroll the page.
                event.preventDefault();
                select();
              }}
            >
              <title>{text}</title>
            </Bar>
          );
        })}
      </svg>
      <figcaption>
        <span>{dayText(buckets[0]?.from)}</span>
        <span className="activity-hint">
          Events per day, UTC. Select a day to see only its events. {query}
        </span>
        <span>{dayText(buckets.at(-1)?.from)}</span>
      </figcaption>
    </figure>
  );
});
