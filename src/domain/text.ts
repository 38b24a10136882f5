import { UnstorableTextError } from './errors.js';

/** PostgreSQL cannot store NUL, and half a surrogate pair is no character: neither can match anything. */
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

export const assertText = (what: string, ...values: readonly string[]): void => {
  if (!values.every(isStorable)) {
    throw new UnstorableTextError(`${what} contains a character that cannot be stored.`);
  }
};

/** The text as a LIKE pattern in which every character means itself. */
export const literalPattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
