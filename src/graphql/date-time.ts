import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DateTimeResolver } from 'graphql-scalars';
import { cut } from '../domain/cut.js';

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
  if (typeof value !== 'string') return `DateTime is a text. Write it like "${example}".`;

  const shown = JSON.stringify(cut(value, MAX_SHOWN));
  const completed = atMidnight(value);
  return parse(completed)
    ? `DateTime cannot represent ${shown}: time and zone are missing. Write it like ${completed}.`
    : `DateTime cannot represent ${shown}. Write it like ${example}.`;
};

const readMoment = (value: unknown, node?: ValueNode): Date => {
  const moment = parse(value);
  if (moment === null) throw new GraphQLError(faultOf(value), { nodes: node ?? null });
  return moment;
};

/** The scalar of graphql-scalars, with errors that say what is wanted instead. */
export const DateTime = new GraphQLScalarType<Date, Date>({
  ...DateTimeResolver.toConfig(),
  parseValue: (value) => readMoment(value),
  parseLiteral: (node) => readMoment(node.kind === Kind.STRING ? node.value : null, node),
});
