import { csvFormat } from './csv.js';
import { type EventRecord, toJsonLine } from './event-record.js';

export const FORMAT_NAMES = ['ndjson', 'csv', 'csv-raw'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

export type Format = {
  /** Precedes the first event. */
  header: string;
  line: (event: EventRecord) => string;
};

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  ndjson: { header: '', line: (event) => `${toJsonLine(event)}\n` },
  csv: csvFormat({ isGuarded: true }),
  'csv-raw': csvFormat({ isGuarded: false }),
};
