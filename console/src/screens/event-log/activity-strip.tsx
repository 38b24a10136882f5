import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import { memo, type ReactNode } from 'react';
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

/** Events per day. A day is a button that filters by it. */
export const ActivityStrip = memo((props: Props) => {
  const { activity, from: firstDay, to: lastDay, onSelect, query } = props;
  const buckets = activity?.buckets ?? [];
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
        {buckets.map(({ from, count }) => {
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
              tabIndex={0}
              aria-pressed={isChosen}
              aria-label={text}
              x={days(from) ?? 0}
              y={HEIGHT - height}
              width={days.bandwidth()}
              height={height}
              onClick={select}
              onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') select();
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
