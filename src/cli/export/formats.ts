import { type EventRecord, toJsonLine } from '../events/event-record.js';

export const FORMAT_NAMES = ['ndjson', 'csv'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

export type Format = {
  /** What comes before the first event. */
  header: string;
  line: (event: EventRecord) => string;
};

type Cell = (event: EventRecord) => string;

const quoted = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A spreadsheet would run such a text as a formula; behind an apostrophe it is shown as text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const textCell = (text: string | null): string =>
  text === null ? '' : quoted(FORMULA.test(text) ? `'${text}` : text);
const numberCell = (value: number | null): string => (value === null ? '' : String(value));
const jsonCell = (value: unknown): string => (value === null ? '' : quoted(toJsonLine(value)));

const COLUMNS: Readonly<Record<keyof EventRecord, Cell>> = {
  id: ({ id }) => numberCell(id),
  createdAt: ({ createdAt }) => textCell(createdAt),
  type: ({ type }) => textCell(type),
  label: ({ label }) => textCell(label),
  summary: ({ summary }) => textCell(summary),
  createdBy: ({ createdBy }) => textCell(createdBy),
  createdByUserId: ({ createdByUserId }) => numberCell(createdByUserId),
  project: ({ project }) => textCell(project),
  featureName: ({ featureName }) => textCell(featureName),
  environment: ({ environment }) => textCell(environment),
  data: ({ data }) => jsonCell(data),
  preData: ({ preData }) => jsonCell(preData),
  tags: ({ tags }) => jsonCell(tags),
  ip: ({ ip }) => textCell(ip),
};
const cells = Object.values(COLUMNS);

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  ndjson: { header: '', line: (event) => `${toJsonLine(event)}\n` },
  csv: {
    header: `${Object.keys(COLUMNS).join(',')}\r\n`,
    line: (event) => `${cells.map((cell) => cell(event)).join(',')}\r\n`,
  },
};
