import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import { toDomainError } from '../domain/failures.js';
import { countSize, type TimeSlicer } from '../domain/work.js';
import type { Call } from '../http/call.js';
import { toGraphQLError } from './errors.js';

/** Counted for each field that is resolved asynchronously. It takes up to 3.5 KB of heap until the operation ends. */
const BYTES_PER_PROMISE = 1_000;
/** Shorter lists are completed at once. */
const SHORT_LIST = 20;

/** Errors of an operation that are returned. Further ones are counted. */
export const MAX_ERRORS = 100;

/** Part of an operation's context. */
export type Bounds = {
  /** Set for large operations. */
  slicer?: TimeSlicer | undefined;
  /** Why the operation was aborted: its data is incomplete. Set for all operations once they have ended. */
  excess?: GraphQLError | undefined;
  /** Number of fields that failed. */
  failures?: number;
  /** Represents all errors that are not returned. */
  omitted?: GraphQLError;
  call?: Pick<Call, 'recordErrors'>;
};
type Resolver = GraphQLFieldResolver<unknown, Bounds | undefined>;

const pathOf = ({ path }: GraphQLResolveInfo): (string | number)[] => {
  const keys: (string | number)[] = [];
  for (let node: typeof path | undefined = path; node; node = node.prev) keys.push(node.key);
  return keys.reverse();
};

/** Has a path, so GraphQL reports it as it is: creating an error per field would take more memory than the fields. */
const excessAt = (error: unknown, info: GraphQLResolveInfo): GraphQLError => {
  const known = toDomainError(error);
  if (!known) throw error;
  return toGraphQLError(
    known,
    new GraphQLError('', { nodes: info.fieldNodes, path: pathOf(info) }),
  );
};

const countPromise = (
  result: Promise<unknown>,
  context: Bounds | undefined,
  info: GraphQLResolveInfo,
): void => {
  try {
    countSize(BYTES_PER_PROMISE);
  } catch (error) {
    // Its outcome no longer matters.
    result.catch(() => undefined);
    const excess = excessAt(error, info);
    if (context) context.excess = excess;
    throw excess;
  }
};

/** GraphQL creates an error for each field that fails, with its stack trace, unless the error has a path already. */
const fail = (error: unknown, context: Bounds | undefined, info: GraphQLResolveInfo): never => {
  if (!context) throw error;
  if (context.excess) throw context.excess;
  const failures = (context.failures ?? 0) + 1;
  context.failures = failures;
  if (failures % MAX_ERRORS === 0) context.call?.recordErrors(MAX_ERRORS);
  if (failures <= MAX_ERRORS) throw error;
  context.omitted ??= new GraphQLError('Omitted.', { nodes: info.fieldNodes, path: pathOf(info) });
  throw context.omitted;
};

/** GraphQL completes the objects of a list one by one if they are promises. */
const sliceItems = (value: unknown, slicer: TimeSlicer): unknown =>
  Array.isArray(value) && value.length > SHORT_LIST
    ? value.map((item: unknown) => slicer.turn(item))
    : value;

const bounded = (field: GraphQLField<unknown, Bounds | undefined>): Resolver | null => {
  const { type } = field;
  const isObjectList = isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
  // An exposed list has no resolver of its own.
  const resolve = field.resolve ?? (isObjectList ? defaultFieldResolver : null);
  if (!resolve) return null;
  return (source, args, context, info) => {
    if (context?.excess) throw context.excess;
    const slicer = context?.slicer;
    const onError = (error: unknown): never => fail(error, context, info);
    let result: unknown;
    try {
      result = resolve(source, args, context, info);
    } catch (error) {
      return onError(error);
    }
    if (!(result instanceof Promise))
      return slicer && isObjectList ? sliceItems(result, slicer) : result;
    countPromise(result, context, info);
    if (!slicer) return result.catch(onError);
    const continued = result.then(
      (value) => slicer.turn(value),
      async (error: unknown) => {
        // A batch that fails is an error of every field that waits for it.
        await slicer.turn(undefined);
        return onError(error);
      },
    );
    return isObjectList ? continued.then((value) => sliceItems(value, slicer)) : continued;
  };
};

/** The types of introspection belong to all schemas of a process. */
const boundTypes = new WeakSet<GraphQLObjectType>();

/**
 * Counts pending fields as bytes of their request, so that an operation of many asynchronous fields is rejected in
 * time, and has large operations proceed in slices.
 */
export const boundFields = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || boundTypes.has(type)) continue;
    boundTypes.add(type);
    for (const field of Object.values(type.getFields())) {
      const resolve = bounded(field);
      if (resolve) field.resolve = resolve;
    }
  }
  return schema;
};
