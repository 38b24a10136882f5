import { scaleLinear } from '@visx/scale';
import { Bar, Line } from '@visx/shape';
import type { FeatureTimelineQuery } from '../../generated/documents.js';
import type { TimeRange } from './time-range.js';

export type Period = NonNullable<
  FeatureTimelineQuery['feature']
>['environments'][number]['timeline'][number];

const [WIDTH, HEIGHT] = [1_000, 20];
/** Colour is not the only sign: on is high, off is flat, unknown is in between. */
const HEIGHTS: Record<Period['state'], number> = { ENABLED: HEIGHT, DISABLED: 4, UNKNOWN: 10 };
const WORDS: Record<Period['state'], string> = {
  ENABLED: 'On',
  DISABLED: 'Off',
  UNKNOWN: 'Unknown',
};
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const timeText = (time: string): string => DATE_TIME.format(new Date(time));

const periodText = ({ state, from, before }: Period): string => {
  const start = from === null ? '' : ` from ${timeText(from)}`;
  return `${WORDS[state]}${start}${before === null ? ' until now' : ` until ${timeText(before)}`}`;
};

const summaryOf = (environmentName: string, periods: readonly Period[]): string => {
  const last = periods.at(-1);
  if (!last) return `${environmentName}: no recorded changes`;
  const since = last.from === null ? '' : ` since ${timeText(last.from)}`;
  const times = periods.filter(({ state }) => state === 'ENABLED').length;
  return `${environmentName}: ${WORDS[last.state].toLowerCase()}${since}; ${times} ${times === 1 ? 'period' : 'periods'} in which it was on`;
};

type Props = {
  environmentName: string;
  periods: readonly Period[];
  range: TimeRange;
  /** Timestamp to mark; null for none. */
  time: number | null;
};

/** When a feature was on and off in one environment. */
export const TimelineBar = ({ environmentName, periods, range, time }: Props) => {
  const x = scaleLinear({ domain: [range.from, range.to], range: [0, WIDTH], clamp: true });
  return (
    <svg
      className="timeline-bar"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={summaryOf(environmentName, periods)}
    >
      {periods.map((period) => {
        const start = x(period.from === null ? range.from : Date.parse(period.from));
        const end = x(period.before === null ? range.to : Date.parse(period.before));
        const height = HEIGHTS[period.state];
        return (
          <Bar
            key={`${period.from} ${period.before}`}
            className="timeline-period"
            data-on={period.state}
            x={start}
            y={HEIGHT - height}
            width={Math.max(1, end - start)}
            height={height}
          >
            <title>{periodText(period)}</title>
          </Bar>
        );
      })}
      {time === null ? null : (
        <Line
          className="timeline-mark"
          from={{ x: x(time), y: 0 }}
          to={{ x: x(time), y: HEIGHT }}
        />
      )}
    </svg>
  );
};
