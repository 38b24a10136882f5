import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import type { EventLogFactsQuery } from '../../generated/documents.js';

const [WIDTH, HEIGHT] = [910, 48];
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

type Props = {
  activity: EventLogFactsQuery['activity'] | undefined;
  since: string;
  until: string;
  onSelect: (since: string, until: string) => void;
};

/** Events per day. A day is a button that filters by it. */
export const ActivityStrip = ({ activity, since, until, onSelect }: Props) => {
  const buckets = activity?.buckets ?? [];
  const days = scaleBand({
    domain: buckets.map(({ from }) => from),
    range: [0, WIDTH],
    padding: 0.15,
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
          const isChosen = since === day && until === day;
          const height = count === 0 ? 1 : Math.max(2, counts(count));
          const select = () => (isChosen ? onSelect('', '') : onSelect(day, day));
          return (
            <Bar
              key={from}
              className="activity-day"
              data-chosen={isChosen || undefined}
              role="button"
              tabIndex={0}
              aria-pressed={isChosen}
              aria-label={`${DAY.format(new Date(from))}: ${count.toLocaleString()} events`}
              x={days(from) ?? 0}
              y={HEIGHT - height}
              width={days.bandwidth()}
              height={height}
              onClick={select}
              onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === ' ') select();
              }}
            >
              <title>{`${DAY.format(new Date(from))}: ${count.toLocaleString()} events`}</title>
            </Bar>
          );
        })}
      </svg>
    </figure>
  );
};
