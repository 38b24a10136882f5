import type { Scope } from './scope.js';
import type { World } from './world/world.js';

export type Form = 'short' | 'long';

/** One row of the results table. */
export type Measurement = { what: string; measured: string; bound: string; ok: boolean };

export type Run = {
  form: Form;
  seed: number;
  /** Only cases of attacks whose title contains this text. Empty: all cases of the form. */
  titlePart: string;
  /** The filled database server that all experiments share. */
  world: World;
  /** Closed when the experiment ends. */
  scope: Scope;
  log(message: string): void;
  /** Picks a value by form. */
  sized<Value>(values: Record<Form, Value>): Value;
};

export type Experiment = {
  name: string;
  /** What it measures, for the help text and the report. */
  summary: string;
  run(run: Run): Promise<Measurement[]>;
};

const round = (value: number): string =>
  Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);

export const withUnit = (value: number, unit: string): string =>
  `${round(value)}${unit === '' ? '' : ` ${unit}`}`;

export const atMost = (
  what: string,
  value: number,
  bound: number,
  unit = '',
  remark = '',
): Measurement => ({
  what,
  measured: `${withUnit(value, unit)}${remark === '' ? '' : ` (${remark})`}`,
  bound: `≤ ${withUnit(bound, unit)}`,
  ok: value <= bound,
});

export const atLeast = (what: string, value: number, bound: number, unit = ''): Measurement => ({
  what,
  measured: withUnit(value, unit),
  bound: `≥ ${withUnit(bound, unit)}`,
  ok: value >= bound,
});

/** A count that must be zero, with the first cases as an explanation. */
export const none = (what: string, cases: readonly string[], of?: number): Measurement => ({
  what,
  measured: [
    of === undefined ? `${cases.length}` : `${cases.length} of ${of}`,
    ...(cases.length > 0 ? [`(${summarise(cases)})`] : []),
  ].join(' '),
  bound: '0',
  ok: cases.length === 0,
});

export const holds = (what: string, ok: boolean, measured: string, bound: string): Measurement => ({
  what,
  measured,
  bound,
  ok,
});

/** Something that could not be measured. */
export const crashed = (what: string, error: unknown): Measurement => ({
  what,
  measured: error instanceof Error ? (error.stack ?? error.message) : String(error),
  bound: 'no error',
  ok: false,
});

const SHOWN = 3;

/** The most frequent cases with their counts. */
export const summarise = (cases: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const text of cases) counts.set(text, (counts.get(text) ?? 0) + 1);
  return countedOf(Object.fromEntries(counts));
};

/** Formats counts by name. */
export const countedOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ') || 'none';
