const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 days ago`, in the language of the browser. */
export const relativeTime = (value: string, now = Date.now()): string => {
  const seconds = (Date.parse(value) - now) / 1_000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return RELATIVE.format(Math.round(seconds / size), unit);
};

/** A timestamp in the zone of the reader, with UTC on hover. */
export const Time = ({ value, isRelative = false }: { value: string; isRelative?: boolean }) => (
  <time dateTime={value} title={`${value.replace('T', ' ').replace(/(\.000)?Z$/, '')} UTC`}>
    {isRelative ? relativeTime(value) : DATE_TIME.format(new Date(value))}
  </time>
);
