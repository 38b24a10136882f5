import { CommandError } from '../command-error.js';

/** How far an export has come. */
export type ExportPosition = {
  /** ID of the last event to export. */
  upTo: number;
  /** Cursor of the last exported event. Null before the first. */
  cursor: string | null;
  /** Events exported so far. */
  count: number;
};

/** A position as a single word, for `--after`. */
export const formatPosition = ({ upTo, cursor, count }: ExportPosition): string =>
  `${upTo}.${count}.${cursor ?? ''}`;

export const parsePosition = (text: string): ExportPosition => {
  const [, upTo, count, cursor] = /^(\d{1,10})\.(\d{1,10})\.([\w-]{0,200})$/.exec(text) ?? [];
  if (upTo === undefined || count === undefined || Number(upTo) >= 2 ** 31) {
    throw new CommandError(
      "--after must be a position printed by an interrupted export, such as '4711.1000.MTpBYmNk…'.",
    );
  }
  return { upTo: Number(upTo), count: Number(count), cursor: cursor || null };
};
