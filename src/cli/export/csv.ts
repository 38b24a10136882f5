import { type EventRecord, toJsonLine } from '../events/event-record.js';

type Cell = (event: EventRecord) => string;

/** Also where only some readers would take a character for an end of line, or blanks for padding. */
const NEEDS_QUOTES = /^$|[",\p{Cc}\u2028\u2029]|^\s|\s$/u;

const quoted = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * A spreadsheet may run such a text as a formula, some also behind blanks or what cannot be seen; behind an apostrophe it
 * is shown as text. One that begins with apostrophes already is given one more, so that taking the first away from every
 * text like these brings back what was recorded.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}']*[=+\-@＝＋－＠]|^'*[\t\r\n]/u;

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const numberCell = (value: number | null): string => (value === null ? '' : String(value));
const jsonCell = (value: unknown): string => (value === null ? '' : quoted(toJsonLine(value)));

const columnsWith = (
  textCell: (text: string | null) => string,
): Readonly<Record<keyof EventRecord, Cell>> => ({
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
});

/** A table after RFC 4180; every text comes back as it was recorded, formulas behind their apostrophe. */
export const csvFormat = ({ isGuarded }: { isGuarded: boolean }) => {
  const columns = columnsWith((text) =>
    text === null ? '' : quoted(isGuarded ? guarded(text) : text),
  );
  const cells = Object.values(columns);
  return {
    header: `${Object.keys(columns).join(',')}\r\n`,
    line: (event: EventRecord) => `${cells.map((cell) => cell(event)).join(',')}\r\n`,
  };
};
