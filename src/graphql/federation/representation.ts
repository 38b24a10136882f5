import type { GraphQLScalarType } from 'graphql';
import { BadDataError } from '../../domain/errors.js';
import { isObject } from '../../domain/json.js';
import { assertText } from '../../domain/text.js';

/** The field that identifies an entity to other subgraphs. */
export type EntityKey<Key> = { field: string; type: GraphQLScalarType<Key> };

const invalid = (message: string) => BadDataError.of({ message });

/** The type name of a representation; `path` is the position of the representation in the arguments. */
export const readTypename = <Name extends string>(
  path: string,
  representation: unknown,
  names: readonly Name[],
): Name => {
  if (!isObject(representation)) {
    throw invalid(`'${path}' must be an object with a __typename and a key.`);
  }
  const typename = representation['__typename'];
  if (typeof typename !== 'string') throw invalid(`'${path}' must have a __typename.`);
  const found = names.find((name) => name === typename);
  if (found === undefined) {
    throw invalid(`'${path}.__typename' must be one of ${names.join(', ')}.`);
  }
  return found;
};

/** The value of the key, coerced like a GraphQL argument of the key's type. */
export const readKey = <Key>(
  path: string,
  representation: unknown,
  { field, type }: EntityKey<Key>,
): Key => {
  const value = isObject(representation) ? representation[field] : undefined;
  if (value === undefined || value === null)
    throw invalid(`'${path}' must have its key, ${field}.`);

  const key = parsed(value, type);
  if (key === undefined) throw invalid(`'${path}.${field}' must be of type ${type.name}.`);
  if (typeof key === 'string') assertText(`'${path}.${field}'`, key);
  return key;
};

const parsed = <Key>(value: unknown, type: GraphQLScalarType<Key>): Key | undefined => {
  try {
    return type.parseValue(value);
  } catch {
    return undefined;
  }
};
