import { CommandError } from '../command-error.js';

/** How far an export has come. */
export type ExportPosition = {
  /** ID of the last event to export. */
  upTo: number;
  /** ID of the last exported event, 0 after the header of a table. Null before the first byte. */
  after: number | null;
  /** Events exported so far. */
  count: number;
};

/** A position as a single word, for `--after`. */
export const formatPosition = ({ upTo, after, count }: ExportPosition): string =>
  `${upTo}.${count}.${after ?? ''}`;

const isId = (text: string): boolean => Number(text) < 2 ** 31;

export const parsePosition = (text: string): ExportPosition => {
  const [, upTo, count, after] = /^(\d{1,10})\.(\d{1,10})\.(\d{0,10})$/.exec(text) ?? [];
  if (
    upTo === undefined ||
    count === undefined ||
    after === undefined ||
    !isId(upTo) ||
    !isId(after)
  ) {
    throw new CommandError(
      "--after must be a position printed by an interrupted export, such as '4711.1000.3812'.",
    );
  }
  return { upTo: Number(upTo), count: Number(count), after: after === '' ? null : Number(after) };
};
