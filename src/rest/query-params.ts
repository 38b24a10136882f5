import qs from 'qs';
import { DEFAULT_LIMIT, type OffsetPage } from '../domain/paging.js';
import { LONGEST_SEARCH_TEXT } from '../domain/text.js';
import { invalidValue } from './errors.js';

/** Decoded as Express does it: brackets and repetition make arrays and objects. */
export type Query = Readonly<Record<string, unknown>>;

export const parseQuery = (search: string): Query => qs.parse(search, { plainObjects: true });

export const MAX_FILTER_LENGTH = 10_000;
const INT4_MIN = -(2 ** 31);
const INT4_MAX = 2 ** 31 - 1;
const DAY_MS = 86_400_000;
const LAST_DAY = '9999-12-31';

/** PostgreSQL stores neither NUL nor half a surrogate pair, so no such value can match anything. */
export const readStorable = (pointer: string, value: string): string => {
  if (value.includes('\0') || /\p{Surrogate}/u.test(value)) {
    throw invalidValue(pointer, 'contains a character that cannot be stored', value);
  }
  return value;
};

const readString = (query: Query, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidValue(`/query/${name}`, 'must be a string, given once', value);
};

export const readText = (query: Query, name: string): string | undefined => {
  const value = readString(query, name);
  if (!value) return undefined;
  const pointer = `/query/${name}`;
  if (value.length > LONGEST_SEARCH_TEXT) {
    throw invalidValue(pointer, `must not exceed ${LONGEST_SEARCH_TEXT} characters`, value);
  }
  return readStorable(pointer, value);
};

/**
 * Accepts what `^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$` accepts, without its quadratic time: the list at
 * its end is also something `.*?` takes, so only the operator and line breaks decide.
 */
export const isFilter = (text: string): boolean =>
  (text.startsWith('IS:') || text.startsWith('IS_ANY_OF:')) && !/[\n\r\u2028\u2029]/.test(text);

/** The values a filter such as `IS_ANY_OF:a,b` names; one that names nothing is no filter. */
export const readFilter = (query: Query, name: string): string[] | undefined => {
  const pointer = `/query/${name}`;
  const given = readString(query, name);
  if (given === undefined) return undefined;
  if (given.length > MAX_FILTER_LENGTH) {
    throw invalidValue(pointer, `must not exceed ${MAX_FILTER_LENGTH} characters`, given);
  }
  if (!isFilter(given)) {
    throw invalidValue(pointer, "must be 'IS:' or 'IS_ANY_OF:' and values on one line", given);
  }

  const values = readStorable(pointer, given.slice(given.indexOf(':') + 1));
  if (values === '') return undefined;
  return [...new Set(values.split(',').map((value) => value.trim()))];
};

/** A 32-bit integer in decimal, blanks around it ignored. */
export const readInteger = (pointer: string, text: string): number => {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= INT4_MIN && value <= INT4_MAX) return value;
  throw invalidValue(pointer, 'must be an integer of at most 32 bits', text);
};

export const readIntegerFilter = (query: Query, name: string): number[] | undefined =>
  readFilter(query, name)?.map((value) => readInteger(`/query/${name}`, value));

const readDay = (query: Query, name: string): string | undefined => {
  const given = readString(query, name);
  if (given === undefined) return undefined;

  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(given)?.[1];
  if (day === undefined) {
    throw invalidValue(`/query/${name}`, "must be 'IS:' and a day as yyyy-MM-dd", given);
  }
  const start = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  if (!exists || day.startsWith('0000')) {
    throw invalidValue(`/query/${name}`, 'must name a day that exists', given);
  }
  return day;
};

/** The first moment of a day, in UTC. */
export const readDayStart = (query: Query, name: string): Date | undefined => {
  const day = readDay(query, name);
  return day === undefined ? undefined : new Date(`${day}T00:00:00Z`);
};

/** The first moment after a day, in UTC. */
export const readDayEnd = (query: Query, name: string): Date | undefined => {
  const day = readDay(query, name);
  if (day === undefined) return undefined;
  // A year of five digits is written in a way PostgreSQL refuses.
  if (day === LAST_DAY) return new Date(`${day}T23:59:59.999Z`);
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
};

// The original prints the number and reads the digits at its start: 2.9 is 2, 0.0000001 (1e-7) is 1.
const leadingInteger = (value: number) => Number.parseInt(String(value), 10) || 0;

/** Numbers outside their range mean the default, as in the original; they are never an error. */
export const readPage = (query: Query, maxLimit: number): OffsetPage => {
  const offset = Number(readString(query, 'offset'));
  const limit = Number(readString(query, 'limit'));
  return {
    limit: limit > 0 && limit <= maxLimit ? leadingInteger(limit) : DEFAULT_LIMIT,
    offset: offset > 0 ? Math.min(leadingInteger(offset), Number.MAX_SAFE_INTEGER) : 0,
  };
};
