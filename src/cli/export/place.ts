import { CommandRefusedError } from '../on-database.js';

/** How far an export has come. */
export type Place = {
  /** Id of the last event it will hold. */
  upTo: number;
  /** Cursor of the last event it holds; null before the first. */
  cursor: string | null;
  /** How many events it holds. */
  count: number;
};

/** A place as one word, for `--after`. */
export const placeText = ({ upTo, cursor, count }: Place): string =>
  `${upTo}.${count}.${cursor ?? ''}`;

export const readPlace = (text: string): Place => {
  const [, upTo, count, cursor] = /^(\d{1,10})\.(\d{1,10})\.([\w-]{0,200})$/.exec(text) ?? [];
  if (upTo === undefined || count === undefined || Number(upTo) >= 2 ** 31) {
    throw new CommandRefusedError(
      "--after takes the word that an interrupted export told, such as '4711.1000.MTpBYmNk…'.",
    );
  }
  return { upTo: Number(upTo), count: Number(count), cursor: cursor || null };
};
