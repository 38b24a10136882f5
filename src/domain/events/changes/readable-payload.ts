import { Prisma } from '../../../data/db.js';

/**
 * `data` is recorded as the text it was written as, and PostgreSQL cannot look into every such text: escapes of what is
 * no character (NUL, half a pair of surrogates), numbers beyond all measure and endless nesting make it fail.
 */

/** A text of fewer lists and objects than that is not nested too deeply for any of its readers. */
const MOST_CONTAINERS = 2_000;
/** No number of a shorter text has too many digits. */
const LONG = 100_000;

const ODD_ESCAPE = String.raw`\\u(0000|[dD][89a-fA-F])`;
const MANY_DIGITS = '[0-9]{250}';
const LARGE_EXPONENT = '[0-9.][eE][+-]?[0-9]{5}';
/** The same where a number may stand: hexadecimal texts look alike. */
const HUGE_NUMBER = String.raw`(^|[:,[])\s*-?[0-9.]+[eE][+-]?[0-9]{5}`;

const HIGH = String.raw`\\u[dD][89aAbB][0-9a-fA-F]{2}`;
const LOW = String.raw`\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
/** Behind an even number of backslashes only: otherwise it is the backslash that is escaped. */
const NO_CHARACTER = String.raw`(?<!\\)((?:\\\\)*)(?:\\u0000|${HIGH}(?!${LOW})|(?<!${HIGH})${LOW})`;

/** Whether the payload of an event, as text, can be looked into; what is cheap to see is looked at first. */
export const isReadable = (text: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  (octet_length(${text}) <= ${MOST_CONTAINERS}
    or length(${text}) - length(translate(${text}, '[{', '')) <= ${MOST_CONTAINERS})
  and (octet_length(${text}) <= ${LONG} or ${text} !~ ${MANY_DIGITS})
  and (${text} !~ ${LARGE_EXPONENT} or ${text} !~ ${HUGE_NUMBER}))`;

/** Such a payload, with a replacement character for each that is none. */
export const readPayload = (text: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`case when ${text} ~ ${ODD_ESCAPE}
    then regexp_replace(${text}, ${NO_CHARACTER}, ${String.raw`\1\\ufffd`}, 'g')::jsonb
    else ${text}::jsonb end`;
