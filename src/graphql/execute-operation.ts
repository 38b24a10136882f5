import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError } from 'graphql';
import { toDomainError } from '../domain/failures.js';
import {
  assertNotCancelled,
  createTimeSlicer,
  currentWork,
  reserveResponse,
} from '../domain/work.js';
import type { Call } from '../http/call.js';
import { isSmall } from '../http/cost-gate.js';
import { jsonSize } from '../http/json-size.js';
import { writeJson } from '../http/write-json.js';
import { writeJsonInSlices } from '../http/write-json-in-slices.js';
import { type Bounds, MAX_ERRORS } from './bound-fields.js';
import { toGraphQLError } from './errors.js';
import { traceOperation } from './trace-operation.js';
import { assessmentOf } from './use-operation-limits.js';

const withFewErrors = (result: ExecutionResult): ExecutionResult => {
  const { errors } = result;
  if (!errors || errors.length <= MAX_ERRORS) return result;
  const rest = new GraphQLError(`${errors.length - MAX_ERRORS} more errors are not shown.`, {
    extensions: { code: 'LIMIT_EXCEEDED' },
  });
  return { ...result, errors: [...errors.slice(0, MAX_ERRORS), rest] };
};

const pointsOf = (args: ExecutionArgs): number => {
  const { cost, points } = assessmentOf(args);
  return points ?? cost ?? 0;
};

type Stringify = (result: ExecutionResult) => string;

/** Writes a result whose data has been written already. */
const stringifyWith =
  (data: string): Stringify =>
  (result) => {
    const entries = Object.entries(result).filter(([key, value]) => key !== 'stringify' && value);
    const fields = entries.map(
      ([key, value]) => `${JSON.stringify(key)}:${key === 'data' ? data : writeJson(value)}`,
    );
    return `{${fields.join(',')}}`;
  };

const reserve = (bytes: number): void => {
  assertNotCancelled();
  reserveResponse(bytes);
};

/** One row can occur in a response thousands of times, so the size of what is read says little about the response. */
const stringifierOf = async ({ data }: ExecutionResult, isLarge: boolean): Promise<Stringify> => {
  const max = currentWork()?.budget?.maxPerWork ?? Number.MAX_SAFE_INTEGER;
  if (data && isLarge) return stringifyWith(await writeJsonInSlices(data, { max, reserve }));
  reserveResponse(jsonSize(data, max));
  return writeJson;
};

/** Yoga serializes the result with `stringify`, because payloads can have any depth. */
const withStringify = async (result: ExecutionResult, isLarge: boolean): Promise<Written> => {
  try {
    return Object.assign(result, { stringify: await stringifierOf(result, isLarge) });
  } catch (error) {
    const known = toDomainError(error);
    if (!known) throw error;
    return { errors: [toGraphQLError(known)], stringify: writeJson };
  }
};

/** Has a path, so GraphQL does not create an error for each field. */
const ENDED = new GraphQLError('The operation has ended.', { path: [] });

/** A result, and how it is written. */
export type Written = ExecutionResult & { stringify: Stringify };

/** GraphQL's own executor. */
export const executeOperation = async (
  args: ExecutionArgs,
  points: number = pointsOf(args),
): Promise<Written> => {
  const context = args.contextValue as Bounds & { call?: Call };
  const { call } = context;
  const run = async () => {
    const work = currentWork();
    if (work && !isSmall(points)) {
      context.slicer = work.slicer = createTimeSlicer(work.signal, call);
      context.argumentValues = assessmentOf(args).argumentValues ?? 0;
    }
    // The time until the first field waits. What follows a statement, or a turn in a slice, is recorded there.
    const start = async () => (call ? call.timed(() => execute(args)) : execute(args));
    const executed = await traceOperation(args, call, start);
    const result = context.excess ? { errors: [context.excess] } : executed;
    // An error of a non-null field can end an operation long before its other fields.
    context.excess ??= ENDED;
    return withStringify(withFewErrors(result), context.slicer !== undefined);
  };
  return call ? call.admit(points, run) : run();
};
