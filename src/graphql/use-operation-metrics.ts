import { type ExecutionResult, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { OperationOutcome } from '../observability/metrics.js';

const outcomeOf = ({ data, errors }: ExecutionResult): OperationOutcome => {
  if (!errors || errors.length === 0) return 'ok';
  return data === null || data === undefined ? 'failed' : 'partial';
};

const isResult = (result: unknown): result is ExecutionResult =>
  typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result);

/** Reports every operation that ran and its outcome; for a subscription, whether it started. */
export const useOperationMetrics = (
  operationRan: (type: string, outcome: OperationOutcome) => void,
): Plugin => ({
  onExecute: ({ args }) => {
    const type = getOperationAST(args.document, args.operationName)?.operation ?? 'query';
    return {
      onExecuteDone: ({ result }) => {
        if (isResult(result)) operationRan(type, outcomeOf(result));
      },
    };
  },
  onSubscribe: () => ({
    onSubscribeResult: ({ result }) =>
      operationRan('subscription', isResult(result) ? outcomeOf(result) : 'ok'),
    onSubscribeError: () => operationRan('subscription', 'failed'),
  }),
});
