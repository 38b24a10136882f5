import type { GraphQLScalarType } from 'graphql';
import { BadDataError } from '../../domain/errors.js';
import { isObject } from '../../domain/json.js';
import { assertText } from '../../domain/text.js';

/** By which of its fields an entity is known to other subgraphs. */
export type EntityKey<Key> = { field: string; type: GraphQLScalarType<Key> };

const invalid = (message: string) => BadDataError.of({ message });

/** The name of the entity that a representation stands for; `place` says where the representation is. */
export const readTypename = <Name extends string>(
  place: string,
  representation: unknown,
  names: readonly Name[],
): Name => {
  if (!isObject(representation)) {
    throw invalid(`'${place}' must be an object with a __typename and a key.`);
  }
  const typename = representation['__typename'];
  if (typeof typename !== 'string') throw invalid(`'${place}' must have a __typename.`);
  const found = names.find((name) => name === typename);
  if (found === undefined) {
    throw invalid(`'${place}.__typename' must be one of ${names.join(', ')}.`);
  }
  return found;
};

/** The value of the key, judged as GraphQL judges an argument of the key's type. */
export const readKey = <Key>(
  place: string,
  representation: unknown,
  { field, type }: EntityKey<Key>,
): Key => {
  const value = isObject(representation) ? representation[field] : undefined;
  if (value === undefined || value === null)
    throw invalid(`'${place}' must have its key, ${field}.`);

  const key = parsed(value, type);
  if (key === undefined) throw invalid(`'${place}.${field}' must be of type ${type.name}.`);
  if (typeof key === 'string') assertText(`'${place}.${field}'`, key);
  return key;
};

const parsed = <Key>(value: unknown, type: GraphQLScalarType<Key>): Key | undefined => {
  try {
    return type.parseValue(value);
  } catch {
    return undefined;
  }
};
