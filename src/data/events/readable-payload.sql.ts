import { Prisma, type Sql } from '../db.js';

/**
 * `data` has type json, so it keeps the text as written, and PostgreSQL fails to parse some of it: escapes of NUL and
 * of lone surrogates, numbers out of range, and extreme nesting.
 */

/** No reader's nesting limit is exceeded with fewer arrays and objects than this. */
const MAX_CONTAINERS = 2_000;
/** `numeric` allows 16,383 digits after the decimal point; a shorter text cannot exceed that, even by its exponent. */
const LONG = 15_000;

const ODD_ESCAPE = String.raw`\\u(0000|[dD][89a-fA-F])`;
const MANY_DIGITS = '[0-9]{250}';
/** The same where a number can occur: strings contain digits, too. */
const LONG_NUMBER = String.raw`(^|[:,[])\s*-?[0-9.]*[0-9]{250}`;
/** More than three digits, which no JavaScript number has. */
const LARGE_EXPONENT = '[0-9.][eE][+-]?[0-9]{4}';
const HUGE_NUMBER = String.raw`(^|[:,[])\s*-?[0-9.]+[eE][+-]?[0-9]{4}`;

const PAIR = String.raw`\\u([dD][89aAbB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`;
const HALF = String.raw`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`;
/**
 * Placeholders for an escaped backslash and for the `\u` of a surrogate pair: JSON text cannot contain them
 * unescaped.
 */
const [BACKSLASH, OF_PAIR] = ['\u0001', '\u0002'];

/** Whether PostgreSQL can parse the payload; cheap checks first. */
export const isReadable = (text: Sql): Sql => Prisma.sql`(
  (octet_length(${text}) <= ${MAX_CONTAINERS}
    or length(${text}) - length(translate(${text}, '[{', '')) <= ${MAX_CONTAINERS})
  and (octet_length(${text}) <= ${LONG} or ${text} !~ ${MANY_DIGITS} or ${text} !~ ${LONG_NUMBER})
  and (${text} !~ ${LARGE_EXPONENT} or ${text} !~ ${HUGE_NUMBER}))`;

/** The payload as jsonb, with U+FFFD for each invalid escape; every step is a single pass over the text. */
export const readPayload = (text: Sql): Sql => {
  const withoutEscaped = Prisma.sql`replace(${text}, ${String.raw`\\`}, ${BACKSLASH})`;
  const withoutNul = Prisma.sql`replace(${withoutEscaped}, ${String.raw`\u0000`}, ${String.raw`\ufffd`})`;
  const withoutPairs = Prisma.sql`regexp_replace(${withoutNul}, ${PAIR}, ${`${OF_PAIR}\\1${OF_PAIR}\\2`}, 'g')`;
  const whole = Prisma.sql`regexp_replace(${withoutPairs}, ${HALF}, ${String.raw`\\ufffd`}, 'g')`;
  return Prisma.sql`case when ${text} ~ ${ODD_ESCAPE}
    then replace(replace(${whole}, ${OF_PAIR}, ${String.raw`\u`}), ${BACKSLASH}, ${String.raw`\\`})::jsonb
    else ${text}::jsonb end`;
};
