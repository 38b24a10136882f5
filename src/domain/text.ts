import { BadDataError, UnstorableTextError } from './errors.js';

/** PostgreSQL cannot store NUL, and half a surrogate pair is no character: neither can match anything. */
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

export const assertText = (what: string, ...values: readonly string[]): void => {
  if (!values.every(isStorable)) {
    throw new UnstorableTextError(`${what} contains a character that cannot be stored.`);
  }
};

/** Nobody types more than that to search for, and each character of it costs time on every row. */
export const LONGEST_SEARCH_TEXT = 10_000;

export const assertSearchText = (what: string, text: string): void => {
  assertText(what, text);
  if (text.length > LONGEST_SEARCH_TEXT) {
    const message = `${what} may have ${LONGEST_SEARCH_TEXT} characters; it has ${text.length}.`;
    throw BadDataError.of({ message });
  }
};

/** The text as a LIKE pattern in which every character means itself. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
