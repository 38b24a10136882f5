import { type Growth, MAX_GROWTH } from '../growth.js';
import type { CaseResult } from '../measure-case.js';
import { bar, LINE_COLOURS, line, path, picture, text } from './svg.js';
import { number, times } from './table.js';

const NAMES: Readonly<Record<string, string>> = {
  unleash: 'Unleash',
  postgraphile: 'PostGraphile',
  limit: 'the limit',
};

const LEFT = 470;
const WIDTH = 1000;
const PLOT = WIDTH - LEFT - 90;
const ROW = 26;
const TOP = 64;

type Bar = { label: string; ratio: number; atLeast: number; isMet: boolean };

const barsOf = (cases: readonly CaseResult[]): Bar[] =>
  cases.flatMap(({ title, judgements }) =>
    judgements.map(({ against, ratio, atLeast, isMet }) => ({
      label: `${title.replace(/ each$/, '')}, against ${NAMES[against] ?? against}`,
      ratio: ratio ?? 0,
      atLeast,
      isMet,
    })),
  );

const shorten = (label: string, maxLength: number): string =>
  label.length <= maxLength ? label : `${label.slice(0, maxLength - 1)}…`;

/** Throughput of the gateway relative to the other contenders, with a marker at the target. */
export const plotRatios = (cases: readonly CaseResult[], note: string): string => {
  const bars = barsOf(cases);
  const values = bars.flatMap(({ ratio, atLeast }) => [ratio || 0.1, atLeast]);
  const from = Math.floor(Math.log10(Math.min(0.1, ...values)));
  const to = Math.ceil(Math.log10(Math.max(10, ...values)));
  const x = (value: number) =>
    LEFT + ((Math.log10(Math.max(value, 10 ** from)) - from) / (to - from)) * PLOT;
  const bottom = TOP + bars.length * ROW;

  const ticks = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  const shapes = [
    text(16, 26, 'Throughput of the gateway as a multiple of the others’', { style: 'title' }),
    text(16, 46, note, { style: 'small' }),
    ...ticks.flatMap((tick) => [
      line(x(tick), TOP - 6, x(tick), bottom, tick === 1 ? 'axis' : 'grid'),
      text(x(tick), bottom + 16, `${tick < 1 ? tick : tick.toLocaleString('en')}×`, {
        anchor: 'middle',
        style: 'small',
      }),
    ]),
    ...bars.flatMap(({ label, ratio, atLeast, isMet }, index) => {
      const y = TOP + index * ROW;
      return [
        text(LEFT - 10, y + 16, shorten(label, 68), { anchor: 'end', style: 'small' }),
        bar(LEFT, y + 4, x(ratio) - LEFT, ROW - 9, isMet ? 'bar' : 'missed'),
        line(x(atLeast), y + 1, x(atLeast), y + ROW - 2, 'target'),
        text(Math.max(x(ratio), x(atLeast)) + 7, y + 16, times(ratio), { style: 'small' }),
      ];
    }),
    text(LEFT, bottom + 34, 'The mark across a bar is the target. Logarithmic scale.', {
      style: 'small',
    }),
  ];
  return picture(WIDTH, bottom + 46, 'Throughput of the gateway compared with others', shapes);
};

/** Cost on logs of increasing size, relative to the smallest. */
export const plotGrowth = (growth: readonly Growth[]): string => {
  const [left, top, width, height] = [60, 60, 560, 280];
  const sizes = growth[0]?.points.map(({ events }) => events) ?? [];
  const [min = 1, max = 10] = [sizes[0], sizes.at(-1)];
  const x = (events: number) => left + (Math.log10(events / min) / Math.log10(max / min)) * width;
  const lines = growth.map(({ title, points }) => ({
    title,
    points: points.map(({ events, latencyMs }): [number, number] => [
      events,
      latencyMs / (points[0]?.latencyMs ?? 1),
    ]),
  }));
  const highest = Math.max(2, ...lines.flatMap(({ points }) => points.map(([, ratio]) => ratio)));
  // Clips outliers, which would flatten all other lines.
  const scale = highest > 4 ? (ratio: number) => Math.log(Math.max(ratio, 0.5) * 2) : Number;
  const y = (ratio: number) => top + height - (scale(ratio) / scale(highest)) * height;

  const shapes = [
    text(16, 26, 'Time on larger logs, as a multiple of that on the smallest', {
      style: 'title',
    }),
    line(left, top, left, top + height, 'axis'),
    line(left, top + height, left + width, top + height, 'axis'),
    ...[1, highest].map((ratio) =>
      text(left - 8, y(ratio) + 4, times(ratio), {
        anchor: 'end',
        style: 'small',
      }),
    ),
    ...sizes.map((events) =>
      text(x(events), top + height + 18, `${number(events)} events`, {
        anchor: 'middle',
        style: 'small',
      }),
    ),
    line(left, y(MAX_GROWTH), left + width, y(MAX_GROWTH), 'bound'),
    ...lines.flatMap(({ title, points }, index) => {
      const colour = LINE_COLOURS[index % LINE_COLOURS.length] ?? '#0969da';
      const at = top + 12 + index * 22;
      return [
        path(
          points.map(([events, ratio]): [number, number] => [x(events), y(ratio)]),
          colour,
        ),
        `<rect x="${left + width + 30}" y="${at - 9}" width="12" height="12" rx="2" fill="${colour}"/>`,
        text(left + width + 50, at + 2, title),
      ];
    }),
    text(left + width + 30, top + height, `dashed: ${MAX_GROWTH}×, the maximum`, {
      style: 'small',
    }),
  ];
  return picture(900, top + height + 40, 'Growth of cost with the size of the log', shapes);
};
