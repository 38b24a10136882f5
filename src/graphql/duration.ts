import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { DurationResolver } from 'graphql-scalars';
import { truncate } from '../domain/truncate.js';

const MAX_SHOWN = 100;

const readDuration = (value: unknown, node?: ValueNode): string => {
  try {
    return DurationResolver.parseValue(value) as string;
  } catch {
    const shown = typeof value === 'string' ? ` ${JSON.stringify(truncate(value, MAX_SHOWN))}` : '';
    throw new GraphQLError(
      `Duration cannot represent${shown || ' this value'}. Write it like "P7D" (seven days) or "PT12H" (twelve hours).`,
      { nodes: node ?? null },
    );
  }
};

/** The scalar of graphql-scalars, with errors that show the expected format. */
export const Duration = new GraphQLScalarType<string, string>({
  ...DurationResolver.toConfig(),
  parseValue: (value) => readDuration(value),
  parseLiteral: (node) => readDuration(node.kind === Kind.STRING ? node.value : null, node),
});
