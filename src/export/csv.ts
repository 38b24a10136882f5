import { type EventRecord, toJsonLine } from './event-record.js';

type Cell = (event: EventRecord) => string;

/** Also quotes characters that only some readers treat as a line break, and blanks that some trim. */
const NEEDS_QUOTES = /^$|[",\p{Cc}\u2028\u2029]|^\s|\s$/u;

const quoted = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * A spreadsheet may run such text as a formula, some even after blanks or invisible characters; a leading apostrophe
 * makes it text. Text that already starts with apostrophes gets one more, so that removing the first one from every
 * such text restores what was recorded.
 */
const FORMULA = /^[\s\p{Cc}\p{Cf}']*[=+\-@＝＋－＠]|^'*[\t\r\n]/u;

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const numberCell = (value: number | null): string => (value === null ? '' : String(value));
const jsonCell = (value: unknown): string => (value === null ? '' : quoted(toJsonLine(value)));

const columnsWith = (
  textCell: (text: string | null) => string,
): Readonly<Record<Exclude<keyof EventRecord, 'group'> | 'groupType' | 'groupId', Cell>> => ({
  id: ({ id }) => numberCell(id),
  createdAt: ({ createdAt }) => textCell(createdAt),
  typeName: ({ typeName }) => textCell(typeName),
  label: ({ label }) => textCell(label),
  summary: ({ summary }) => textCell(summary),
  createdBy: ({ createdBy }) => textCell(createdBy),
  createdByUserId: ({ createdByUserId }) => numberCell(createdByUserId),
  projectId: ({ projectId }) => textCell(projectId),
  featureName: ({ featureName }) => textCell(featureName),
  environmentName: ({ environmentName }) => textCell(environmentName),
  data: ({ data }) => jsonCell(data),
  preData: ({ preData }) => jsonCell(preData),
  tags: ({ tags }) => jsonCell(tags),
  ip: ({ ip }) => textCell(ip),
  groupType: ({ group }) => textCell(group?.type ?? null),
  groupId: ({ group }) => textCell(group?.id ?? null),
});

/** RFC 4180. Every text is kept as recorded; if guarded, formulas get an apostrophe. */
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
