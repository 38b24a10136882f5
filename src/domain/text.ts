export type { TextPattern } from '../data/sql/text-patterns.sql.js';

import { BadDataError, UnstorableTextError } from './errors.js';

/** PostgreSQL cannot store NUL, and a lone surrogate is not a character: neither can match anything. */
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

export const assertText = (what: string, ...values: readonly string[]): void => {
  if (!values.every(isStorable)) {
    throw new UnstorableTextError(`${what} contains a character that cannot be stored.`);
  }
};

/** Longer than any real search; each character costs time on every row. */
export const MAX_SEARCH_TEXT_LENGTH = 10_000;

/** In names and descriptions: without an index, the whole pattern is converted again for every row. */
export const MAX_NAME_TEXT_LENGTH = 500;

/** Parts of a text, such as `startsWith`. */
export const assertPattern = (what: string, pattern: Readonly<Record<string, string>>): void => {
  for (const text of Object.values(pattern)) assertSearchText(what, text, MAX_NAME_TEXT_LENGTH);
};

export const assertSearchText = (
  what: string,
  text: string,
  maxLength = MAX_SEARCH_TEXT_LENGTH,
): void => {
  assertText(what, text);
  if (text.length > maxLength) {
    const message = `${what} must have at most ${maxLength} characters (got ${text.length}).`;
    throw BadDataError.of({ message });
  }
};
