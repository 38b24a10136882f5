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
const BYTES_PER_PROMISE = 3_000;
/** Shorter lists are completed at once, */
const SHORT_LIST = 20;
/** unless fields have many values in their arguments, which are read again for each object. */
const MANY_VALUES = 200;

/** Root fields that start together, so that their statements are batched. */
const ROOTS_AT_ONCE = 5;

/** Errors of an operation that are returned. Further ones are counted. */
export const MAX_ERRORS = 100;

/** Part of an operation's context. */
export type Bounds = {
  /** Set for large operations. */
  slicer?: TimeSlicer | undefined;
  /** Values in the arguments of all fields. */
  argumentValues?: number;
  /** Resolves when the objects of all lists so far have had their turns. */
  lists?: Promise<unknown>;
  /** Number of root fields that were started. */
  roots?: number;
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
const failureOf = (
  error: unknown,
  context: Bounds | undefined,
  info: GraphQLResolveInfo,
): unknown => {
  if (!context) return error;
  if (context.excess) return context.excess;
  const failures = (context.failures ?? 0) + 1;
  context.failures = failures;
  if (failures % MAX_ERRORS === 0) context.call?.recordErrors(MAX_ERRORS);
  if (failures <= MAX_ERRORS) return error;
  context.omitted ??= new GraphQLError('Omitted.', { nodes: info.fieldNodes, path: pathOf(info) });
  return context.omitted;
};

/**
 * GraphQL completes the objects of a list one by one if they are promises. One list follows the other: promises for the
 * objects of all lists at once would take more memory than the objects.
 */
const sliceItems = (value: unknown, context: Bounds, slicer: TimeSlicer): unknown => {
  const { argumentValues = 0 } = context;
  const atOnce = argumentValues > MANY_VALUES ? 1 : SHORT_LIST;
  if (!Array.isArray(value) || value.length <= atOnce) return value;
  const items = Promise.resolve(context.lists).then(() =>
    value.map((item: unknown) => slicer.turn(item)),
  );
  context.lists = items.then((turns) => turns.at(-1)).catch(() => undefined);
  return items;
};

/** Further root fields start one by one: each of them may send statements. */
const startInSlices =
  (resolve: Resolver): Resolver =>
  (source, args, context, info) => {
    if (!context?.slicer) return resolve(source, args, context, info);
    context.roots = (context.roots ?? 0) + 1;
    if (context.roots <= ROOTS_AT_ONCE) return resolve(source, args, context, info);
    return context.slicer.turn(undefined).then(() => resolve(source, args, context, info));
  };

const bounded = (
  field: GraphQLField<unknown, Bounds | undefined>,
  isRoot: boolean,
): Resolver | null => {
  const { type } = field;
  const isObjectList = isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
  // An exposed list has no resolver of its own.
  const original = field.resolve ?? (isObjectList ? defaultFieldResolver : null);
  if (!original) return null;
  const resolve = isRoot ? startInSlices(original) : original;
  return (source, args, context, info) => {
    if (context?.excess) throw context.excess;
    const slicer = context?.slicer;
    const toFailure = (error: unknown): unknown => failureOf(error, context, info);
    let result: unknown;
    try {
      result = resolve(source, args, context, info);
    } catch (error) {
      throw toFailure(error);
    }
    if (!(result instanceof Promise))
      return context && slicer && isObjectList ? sliceItems(result, context, slicer) : result;
    countPromise(result, context, info);
    const onError = (error: unknown): never => {
      throw toFailure(error);
    };
    if (!context || !slicer) return result.catch(onError);
    const continued = result.then(
      (value) => slicer.turn(value, toFailure),
      // A batch that fails is an error of every field that waits for it.
      (error: unknown) => slicer.turn(error, toFailure).then(onError),
    );
    return isObjectList ? continued.then((value) => sliceItems(value, context, slicer)) : continued;
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
      const resolve = bounded(field, type === schema.getQueryType());
      if (resolve) field.resolve = resolve;
    }
  }
  return schema;
};
