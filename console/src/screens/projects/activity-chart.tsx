import { AxisBottom, AxisLeft } from '@visx/axis';
import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import { Link } from 'wouter';
import { countOf } from '../../ui/count.js';
import { useWidth } from '../../ui/use-width.js';
import { shortDay, type Week, weekHref, weekLabel } from './week.js';

const HEIGHT = 180;
const [LEFT, BOTTOM, TOP] = [36, 24, 8];
/** Width that a label below the chart needs. */
const LABEL_WIDTH = 64;

const everyNth = (weeks: readonly Week[], width: number): string[] => {
  const step = Math.max(1, Math.ceil((weeks.length * LABEL_WIDTH) / Math.max(1, width)));
  return weeks.flatMap(({ from }, index) => (index % step === 0 ? [from] : []));
};

/** Events per week. A bar opens the events of its week. */
export const ActivityChart = ({ project, weeks }: { project: string; weeks: readonly Week[] }) => {
  const [element, width] = useWidth<HTMLDivElement>();
  const inner = Math.max(0, width - LEFT);
  const bands = scaleBand({
    domain: weeks.map(({ from }) => from),
    range: [LEFT, width],
    padding: 0.2,
  });
  const counts = scaleLinear({
    domain: [0, Math.max(1, ...weeks.map(({ count }) => count))],
    range: [HEIGHT - BOTTOM, TOP],
    nice: true,
  });
  const tick = { className: 'axis-label' };
  return (
    <div className="chart" ref={element}>
      {width === 0 ? null : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be part of a drawing.
        <svg width={width} height={HEIGHT} role="group" aria-label="Events per week">
          <AxisLeft
            scale={counts}
            left={LEFT}
            numTicks={4}
            hideAxisLine
            hideTicks
            tickFormat={(value) => (Number.isInteger(value) ? value.toLocaleString() : '')}
            tickLabelProps={{ ...tick, textAnchor: 'end', dx: -4, dy: 4 }}
          />
          <AxisBottom
            scale={bands}
            top={HEIGHT - BOTTOM}
            tickValues={everyNth(weeks, inner)}
            tickFormat={shortDay}
            hideTicks
            axisClassName="axis"
            tickLabelProps={{ ...tick, textAnchor: 'middle' }}
          />
          {weeks.map((week) => {
            const text = `${weekLabel(week)}: ${countOf(week.count, 'event')}`;
            const top = week.count === 0 ? HEIGHT - BOTTOM - 1 : counts(week.count);
            return (
              <Link key={week.from} href={weekHref(project, week)} aria-label={text}>
                <title>{text}</title>
                <rect
                  className="bar-target"
                  x={bands(week.from) ?? 0}
                  y={TOP}
                  width={bands.bandwidth()}
                  height={HEIGHT - BOTTOM - TOP}
                />
                <Bar
                  className="bar-shape"
                  x={bands(week.from) ?? 0}
                  y={top}
                  width={bands.bandwidth()}
                  height={HEIGHT - BOTTOM - top}
                />
              </Link>
            );
          })}
        </svg>
      )}
    </div>
  );
};
