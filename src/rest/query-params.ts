import qs from 'qs';
import { DEFAULT_LIMIT, type OffsetPage } from '../domain/paging.js';
import { MAX_SEARCH_TEXT_LENGTH } from '../domain/text.js';
import { invalidValue } from './errors.js';

/** Decoded as in Express: brackets and repetition create arrays and objects. */
export type Query = Readonly<Record<string, unknown>>;

export const parseQuery = (search: string): Query => qs.parse(search, { plainObjects: true });

export const MAX_FILTER_LENGTH = 10_000;
const INT4_MIN = -(2 ** 31);
const INT4_MAX = 2 ** 31 - 1;
const DAY_MS = 86_400_000;
const LAST_DAY = '9999-12-31';

/** PostgreSQL stores neither NUL nor lone surrogates, so such values can't match anything. */
export const readStorable = (pointer: string, value: string): string => {
  if (value.includes('\0') || /\p{Surrogate}/u.test(value)) {
    throw invalidValue(pointer, 'contains a character that cannot be stored', value);
  }
  return value;
};

const readString = (query: Query, name: string): string | undefined => {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidValue(`/query/${name}`, 'must be a single string', value);
};

export const readText = (query: Query, name: string): string | undefined => {
  const value = readString(query, name);
  if (!value) return undefined;
  const pointer = `/query/${name}`;
  if (value.length > MAX_SEARCH_TEXT_LENGTH) {
    throw invalidValue(pointer, `must not exceed ${MAX_SEARCH_TEXT_LENGTH} characters`, value);
  }
  return readStorable(pointer, value);
};

/**
 * Accepts the same as `^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$` without its quadratic time: `.*?` also matches the
 * list at the end, so only the operator and line breaks matter.
 */
export const isFilter = (text: string): boolean =>
  (text.startsWith('IS:') || text.startsWith('IS_ANY_OF:')) && !/[\n\r\u2028\u2029]/.test(text);

/** The values of a filter such as `IS_ANY_OF:a,b`. An empty filter counts as none. */
export const readFilter = (query: Query, name: string): string[] | undefined => {
  const pointer = `/query/${name}`;
  const value = readString(query, name);
  if (value === undefined) return undefined;
  if (value.length > MAX_FILTER_LENGTH) {
    throw invalidValue(pointer, `must not exceed ${MAX_FILTER_LENGTH} characters`, value);
  }
  if (!isFilter(value)) {
    throw invalidValue(
      pointer,
      "must be 'IS:' or 'IS_ANY_OF:' followed by values, without line breaks",
      value,
    );
  }

  const values = readStorable(pointer, value.slice(value.indexOf(':') + 1));
  if (values === '') return undefined;
  return [...new Set(values.split(',').map((value) => value.trim()))];
};

/** A 32-bit decimal integer. Surrounding blanks are ignored. */
export const readInteger = (pointer: string, text: string): number => {
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= INT4_MIN && value <= INT4_MAX) return value;
  throw invalidValue(pointer, 'must be an integer of at most 32 bits', text);
};

export const readIntegerFilter = (query: Query, name: string): number[] | undefined =>
  readFilter(query, name)?.map((value) => readInteger(`/query/${name}`, value));

const readDay = (query: Query, name: string): string | undefined => {
  const value = readString(query, name);
  if (value === undefined) return undefined;

  const day = /^IS:(\d{4}-\d{2}-\d{2})$/.exec(value)?.[1];
  if (day === undefined) {
    throw invalidValue(`/query/${name}`, "must be 'IS:' followed by a date as yyyy-MM-dd", value);
  }
  const start = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  if (!exists || day.startsWith('0000')) {
    throw invalidValue(`/query/${name}`, 'must contain a valid date', value);
  }
  return day;
};

/** Start of a day, in UTC. */
export const readDayStart = (query: Query, name: string): Date | undefined => {
  const day = readDay(query, name);
  return day === undefined ? undefined : new Date(`${day}T00:00:00Z`);
};

/** End of a day (exclusive), in UTC. */
export const readDayEnd = (query: Query, name: string): Date | undefined => {
  const day = readDay(query, name);
  if (day === undefined) return undefined;
  // PostgreSQL rejects the notation of five-digit years.
  if (day === LAST_DAY) return new Date(`${day}T23:59:59.999Z`);
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
};

// Unleash formats the number and parses its leading digits: 2.9 is 2, 0.0000001 (1e-7) is 1.
const leadingInteger = (value: number) => Number.parseInt(String(value), 10) || 0;

/** Numbers out of range mean the default, as in Unleash. They are never an error. */
export const readPage = (query: Query, maxLimit: number): OffsetPage => {
  const offset = Number(readString(query, 'offset'));
  const limit = Number(readString(query, 'limit'));
  return {
    limit: limit > 0 && limit <= maxLimit ? leadingInteger(limit) : DEFAULT_LIMIT,
    offset: offset > 0 ? Math.min(leadingInteger(offset), Number.MAX_SAFE_INTEGER) : 0,
  };
};
