import { Prisma } from '../../../data/db.js';

/**
 * `data` is recorded as the text it was written as, and PostgreSQL cannot look into every such text: escapes of what is
 * no character (NUL, half a pair of surrogates), numbers beyond all measure and endless nesting make it fail.
 */

/** A text of fewer lists and objects than that is not nested too deeply for any of its readers. */
const MOST_CONTAINERS = 2_000;
/** A number has at most 16,383 digits behind the point; none of a shorter text has, also not by its exponent. */
const LONG = 15_000;

const ODD_ESCAPE = String.raw`\\u(0000|[dD][89a-fA-F])`;
const MANY_DIGITS = '[0-9]{250}';
/** The same where a number may stand: texts hold digits, too. */
const LONG_NUMBER = String.raw`(^|[:,[])\s*-?[0-9.]*[0-9]{250}`;
/** More than three digits, which is more than any number of JavaScript has. */
const LARGE_EXPONENT = '[0-9.][eE][+-]?[0-9]{4}';
const HUGE_NUMBER = String.raw`(^|[:,[])\s*-?[0-9.]+[eE][+-]?[0-9]{4}`;

const PAIR = String.raw`\\u([dD][89aAbB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`;
const HALF = String.raw`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`;
/** No JSON text holds these characters as they are: they stand in for an escaped backslash, and for the `\u` of a pair. */
const [BACKSLASH, OF_PAIR] = ['\u0001', '\u0002'];

/** Whether the payload of an event, as text, can be looked into; what is cheap to see is looked at first. */
export const isReadable = (text: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  (octet_length(${text}) <= ${MOST_CONTAINERS}
    or length(${text}) - length(translate(${text}, '[{', '')) <= ${MOST_CONTAINERS})
  and (octet_length(${text}) <= ${LONG} or ${text} !~ ${MANY_DIGITS} or ${text} !~ ${LONG_NUMBER})
  and (${text} !~ ${LARGE_EXPONENT} or ${text} !~ ${HUGE_NUMBER}))`;

/** Such a payload, with a replacement character for each that is none; in steps that each go through the text once. */
export const readPayload = (text: Prisma.Sql): Prisma.Sql => {
  const withoutEscaped = Prisma.sql`replace(${text}, ${String.raw`\\`}, ${BACKSLASH})`;
  const withoutNul = Prisma.sql`replace(${withoutEscaped}, ${String.raw`\u0000`}, ${String.raw`\ufffd`})`;
  const withoutPairs = Prisma.sql`regexp_replace(${withoutNul}, ${PAIR}, ${`${OF_PAIR}\\1${OF_PAIR}\\2`}, 'g')`;
  const whole = Prisma.sql`regexp_replace(${withoutPairs}, ${HALF}, ${String.raw`\\ufffd`}, 'g')`;
  return Prisma.sql`case when ${text} ~ ${ODD_ESCAPE}
    then replace(replace(${whole}, ${OF_PAIR}, ${String.raw`\u`}), ${BACKSLASH}, ${String.raw`\\`})::jsonb
    else ${text}::jsonb end`;
};
