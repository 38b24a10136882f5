import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';
import { BadDataError } from '../domain/errors.js';
import { truncate } from '../domain/truncate.js';

const EXAMPLE = '2026-10-15';
const MAX_SHOWN = 100;

const parse = (value: unknown): Date | null => {
  try {
    return DateTimeResolver.parseValue(value);
  } catch {
    return null;
  }
};

const atMidnight = (day: string): string => `${day}T00:00:00Z`;

/** Timestamps that were written as dates. */
const plainDates = new WeakSet<Date>();

const DATE = /^\d{4}-\d{2}-\d{2}$/;

const faultOf = (value: unknown): string => {
  const example = atMidnight(EXAMPLE);
  if (typeof value !== 'string') return `DateTime must be a string such as "${example}".`;

  const quoted = JSON.stringify(truncate(value, MAX_SHOWN));
  return `DateTime cannot represent ${quoted}. Write it like ${example}, or in ranges like ${EXAMPLE}.`;
};

const readTimestamp = (value: unknown, node?: ValueNode): Date => {
  const isDate = typeof value === 'string' && DATE.test(value);
  const timestamp = parse(isDate ? atMidnight(value) : value);
  if (timestamp !== null && isDate) plainDates.add(timestamp);
  if (timestamp === null) throw new GraphQLError(faultOf(value), { nodes: node ?? null });
  return timestamp;
};

/** Rejects a date where a timestamp is needed: a day is not a point in time. */
export const assertTimestamp = (field: string, timestamp: Date): void => {
  if (!plainDates.has(timestamp)) return;
  const [day = ''] = timestamp.toISOString().split('T');
  const message = `'${field}' must have a time and a zone (got ${day}). Write it like ${atMidnight(day)}.`;
  throw BadDataError.of({ message });
};

/** The scalar of graphql-scalars, with errors that show the expected format. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...DateTimeResolver.toConfig(),
  parseValue: (value) => readTimestamp(value),
  parseLiteral: (node) => readTimestamp(node.kind === Kind.STRING ? node.value : null, node),
});
