import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { BadDataError } from '../domain/errors.js';
import type { Tally } from '../domain/rows.js';
import { costOf, OPERATION_LIMITS } from './use-operation-limits.js';

const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['0', false],
  ['false', false],
  ['1', true],
  ['true', true],
]);

/** Whether a caller asks what his operation costs, by the value of the header `X-GraphQL-Cost`. */
export const asksForCost = (header: string | string[] | undefined): boolean => {
  const asks = ANSWERS.get(String(header ?? '').toLowerCase());
  if (asks !== undefined) return asks;
  throw BadDataError.of({ message: 'The header X-GraphQL-Cost must be true or false.' });
};

const withCost = (
  result: ExecutionResult,
  { statements, rows }: Tally,
  args: ExecutionArgs,
): ExecutionResult => {
  const cost = costOf(args);
  if (cost === null) return result;
  const told = { cost, limit: OPERATION_LIMITS.cost, statements, rows };
  return { ...result, extensions: { ...result.extensions, cost: told } };
};

/** Tells a caller who asks for it what his operation costs; of subscriptions only those that are refused. */
export const useCost = (): Plugin<{ tally?: Tally }> => ({
  onExecute: ({ args }) => {
    const { tally } = args.contextValue;
    if (!tally) return;
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult(withCost(result, tally, args));
      },
    };
  },
  onSubscribe: ({ args }) => {
    const { tally } = args.contextValue;
    if (!tally) return;
    return {
      onSubscribeResult: ({ result, setResult }) => {
        if (!isAsyncIterable(result)) setResult(withCost(result, tally, args));
      },
    };
  },
});
