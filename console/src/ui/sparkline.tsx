import { scaleLinear, scalePoint } from '@visx/scale';
import { AreaClosed, LinePath } from '@visx/shape';

const [WIDTH, HEIGHT] = [120, 28];

type Bucket = { from: string; count: number };

/** A small line without axes. The text beside it has the number. */
export const Sparkline = ({ buckets }: { buckets: readonly Bucket[] }) => {
  const days = scalePoint({ domain: buckets.map(({ from }) => from), range: [1, WIDTH - 1] });
  const counts = scaleLinear({
    domain: [0, Math.max(1, ...buckets.map(({ count }) => count))],
    range: [HEIGHT - 2, 2],
  });
  const shape = {
    data: [...buckets],
    x: ({ from }: Bucket) => days(from) ?? 0,
    y: ({ count }: Bucket) => counts(count),
  };
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <AreaClosed {...shape} yScale={counts} className="sparkline-area" />
      <LinePath {...shape} className="sparkline-line" />
    </svg>
  );
};
