import { Prisma } from '../../../data/db.js';

/**
 * `data` is recorded as the text it was written as, and PostgreSQL cannot look into every such text: escapes of what is
 * no character (NUL, half a pair of surrogates), numbers beyond all measure and endless nesting make it fail.
 */

/** A text of fewer lists and objects than that is not nested too deeply for any of its readers. */
const MOST_CONTAINERS = 2_000;

const ODD_ESCAPE = String.raw`\\u(0000|[dD][89a-fA-F])`;
const HUGE_NUMBER = String.raw`[0-9]{250}|(^|[:,[])\s*-?[0-9.]+[eE][+-]?[0-9]{5}`;

const HIGH = String.raw`\\u[dD][89aAbB][0-9a-fA-F]{2}`;
const LOW = String.raw`\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
/** Behind an even number of backslashes only: otherwise it is the backslash that is escaped. */
const NO_CHARACTER = String.raw`(?<!\\)((?:\\\\)*)(?:\\u0000|${HIGH}(?!${LOW})|(?<!${HIGH})${LOW})`;

/** Whether the payload of an event, as text, can be looked into. */
export const isReadable = (text: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(length(${text}) - length(translate(${text}, '[{', '')) <= ${MOST_CONTAINERS}
    and ${text} !~ ${HUGE_NUMBER})`;

/** Such a payload, with a replacement character for each that is none. */
export const readPayload = (text: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`case when ${text} ~ ${ODD_ESCAPE}
    then regexp_replace(${text}, ${NO_CHARACTER}, ${String.raw`\1\\ufffd`}, 'g')::jsonb
    else ${text}::jsonb end`;
