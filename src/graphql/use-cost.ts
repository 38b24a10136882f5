import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { BadDataError } from '../domain/errors.js';
import type { Usage } from '../domain/work.js';
import { OPERATION_LIMITS } from './document-limits.js';
import { assessmentOf } from './use-operation-limits.js';

const HEADER_VALUES: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
]);

type Header = string | string[] | undefined;

const readHeader = (header: Header) => HEADER_VALUES.get(String(header ?? '').toLowerCase());

/** Whether the header `X-GraphQL-Cost` requests the cost of the operation. */
export const requestsCost = (header: Header): boolean => readHeader(header) ?? false;

export const assertCostHeader = (header: Header): void => {
  if (readHeader(header) !== undefined) return;
  throw BadDataError.of({ message: 'The header X-GraphQL-Cost must be true or false.' });
};

const withCost = (
  result: ExecutionResult,
  { statements, rows }: Usage,
  args: ExecutionArgs,
): ExecutionResult => {
  const { cost } = assessmentOf(args);
  if (cost === null) return result;
  const extension = { cost, limit: OPERATION_LIMITS.cost, statements, rows };
  return { ...result, extensions: { ...result.extensions, cost: extension } };
};

/** Reports the cost of an operation on request; of subscriptions, only if they are rejected. */
export const useCost = (): Plugin<{ usage?: Usage }> => ({
  onExecute: ({ args }) => {
    const { usage } = args.contextValue;
    if (!usage) return;
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult(withCost(result, usage, args));
      },
    };
  },
  onSubscribe: ({ args }) => {
    const { usage } = args.contextValue;
    if (!usage) return;
    return {
      onSubscribeResult: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult(withCost(result, usage, args));
      },
    };
  },
});
