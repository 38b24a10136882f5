import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';
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

const faultOf = (value: unknown): string => {
  const example = atMidnight(EXAMPLE);
  if (typeof value !== 'string') return `DateTime must be a string such as "${example}".`;

  const quoted = JSON.stringify(truncate(value, MAX_SHOWN));
  const completed = atMidnight(value);
  return parse(completed)
    ? `DateTime cannot represent ${quoted}: time and zone are missing. Write it like ${completed}.`
    : `DateTime cannot represent ${quoted}. Write it like ${example}.`;
};

const readTimestamp = (value: unknown, node?: ValueNode): Date => {
  const timestamp = parse(value);
  if (timestamp === null) throw new GraphQLError(faultOf(value), { nodes: node ?? null });
  return timestamp;
};

/** The scalar of graphql-scalars, with errors that show the expected format. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...DateTimeResolver.toConfig(),
  parseValue: (value) => readTimestamp(value),
  parseLiteral: (node) => readTimestamp(node.kind === Kind.STRING ? node.value : null, node),
});
