import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  getOperationAST,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { DomainError } from '../domain/errors.js';
import type { Call } from '../http/call.js';
import { countArgumentValues, excessOfArguments } from './argument-values.js';
import {
  exceeded,
  excessOf,
  OPERATION_LIMITS,
  operationRules,
  parseWithin,
  validateWithin,
} from './document-limits.js';
import { toGraphQLError } from './errors.js';
import { computeOperationCost } from './operation-cost.js';
import { isIntrospection } from './use-access.js';

/** The cost of an operation, or why it is rejected. */
export type OperationAssessment = {
  cost: number | null;
  error: GraphQLError | null;
  /** Points charged to the caller. */
  points: number;
  /** Values in the arguments of all fields. Only counted for operations that are executed. */
  argumentValues?: number;
};

/** Introspection has no cost, but writing the whole schema takes a while. */
const POINTS_PER_SCHEMA = 20_000;
/** For each field that reads from the database, after the first one. */
const POINTS_PER_READ = 100;
/** Charged for rejected operations: their cost was computed, too. */
const POINTS_PER_REJECTION = 1_000;

const rejected = (error: GraphQLError, cost: number | null): OperationAssessment => ({
  cost,
  error,
  points: POINTS_PER_REJECTION,
});

const schemaCounts = new WeakMap<DocumentNode, number>();

const countSchemas = (document: DocumentNode): number => {
  const known = schemaCounts.get(document);
  if (known !== undefined) return known;
  let count = 0;
  visit(document, {
    Field: ({ name }) => {
      if (['__schema', '__type', '_service'].includes(name.value)) count += 1;
    },
  });
  schemaCounts.set(document, count);
  return count;
};

/** Variables and arguments of the wrong type are detected here first. */
const tryComputeCost = (args: ExecutionArgs) => {
  try {
    return computeOperationCost(args);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
};

/** Introspection has no cost, but takes points. */
export const assessOperation = (args: ExecutionArgs): OperationAssessment => {
  const excess = excessOf(args.variableValues);
  if (excess !== null) return rejected(exceeded(excess), null);
  const schemaPoints = countSchemas(args.document) * POINTS_PER_SCHEMA;
  if (isIntrospection(args.document, args.operationName)) {
    return { cost: 0, error: null, points: schemaPoints };
  }
  const operation = getOperationAST(args.document, args.operationName);
  const argumentValues = operation
    ? countArgumentValues(args.document, operation, args.variableValues ?? {})
    : 0;
  const excessOfAll = excessOfArguments(argumentValues);
  if (excessOfAll) return rejected(excessOfAll, null);
  const computed = tryComputeCost(args);
  if (computed instanceof GraphQLError) return rejected(computed, null);
  const { depth, cost, reads } = computed;
  if (depth > OPERATION_LIMITS.depth) {
    const message = `An operation can be at most ${OPERATION_LIMITS.depth} fields deep (got ${depth}).`;
    return rejected(exceeded(message), cost);
  }
  if (cost <= OPERATION_LIMITS.cost) {
    const readPoints = Math.max(0, reads - 1) * POINTS_PER_READ;
    return { cost, error: null, points: cost + readPoints + schemaPoints, argumentValues };
  }
  const excessive = Number.isSafeInteger(cost) ? cost : 'far more';
  const message = `An operation can cost at most ${OPERATION_LIMITS.cost} points (got ${excessive}). Request smaller pages or fewer levels.`;
  return rejected(exceeded(message), cost);
};

type Context = { assessment?: OperationAssessment; call?: Call };

/** Computes the cost once per operation. */
export const assessmentOf = (args: ExecutionArgs): OperationAssessment => {
  const context = args.contextValue as Context;
  context.assessment ??= assessOperation(args);
  return context.assessment;
};

/** For the log line of the request. */
export const describeOperation = (
  { facts }: Call,
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
  cost: number | null,
): void => {
  const operation = getOperationAST(document, operationName);
  if (operation?.name) facts.operation = operation.name.value;
  if (operation) facts.operationType = operation.operation;
  if (cost !== null) facts.cost = cost;
};

const admit = (args: ExecutionArgs, setResult: (result: { errors: GraphQLError[] }) => void) => {
  const context = args.contextValue as Context;
  // The cost of queries and mutations was computed and charged before.
  const isCharged = context.assessment !== undefined;
  const { cost, error, points } = assessmentOf(args);
  if (context.call) describeOperation(context.call, args, cost);
  try {
    if (!isCharged) context.call?.charge(points);
    if (error) setResult({ errors: [error] });
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    setResult({ errors: [toGraphQLError(cause)] });
  }
};

/** Rejects operations that are too long, too deep or too expensive, before anything is resolved. */
export const useOperationLimits = (): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn(parseWithin);
  },
  onValidate({ addValidationRule, setValidationFn }) {
    setValidationFn(validateWithin);
    for (const rule of operationRules) addValidationRule(rule);
  },
  onExecute: ({ args, setResultAndStopExecution }) => admit(args, setResultAndStopExecution),
  onSubscribe: ({ args, setResultAndStopExecution }) => admit(args, setResultAndStopExecution),
});
