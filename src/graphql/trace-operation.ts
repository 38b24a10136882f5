import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import { type SpanAttributes, traceStep } from '../domain/tracing.js';
import type { Call } from '../http/call.js';

/** Clients choose the names of their operations. */
const MAX_NAME_LENGTH = 100;

const attributesOf = (args: ExecutionArgs, call: Call | undefined): SpanAttributes => {
  const operation = getOperationAST(args.document, args.operationName);
  const { documentHash, cost } = call?.facts ?? {};
  return {
    'graphql.operation.type': operation?.operation ?? 'query',
    ...(operation?.name && {
      'graphql.operation.name': operation.name.value.slice(0, MAX_NAME_LENGTH),
    }),
    ...(documentHash !== undefined && { 'flaggraph.document.hash': documentHash }),
    ...(cost !== undefined && { 'flaggraph.cost': cost }),
  };
};

const failureOf = ({ errors }: ExecutionResult): string | undefined => {
  const [first] = errors ?? [];
  return first && (first.originalError?.name ?? first.name);
};

/** Without the document, its variables and error messages, which can contain values. */
export const traceOperation = (
  args: ExecutionArgs,
  call: Call | undefined,
  execute: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> =>
  traceStep('GraphQL operation', execute, {
    attributes: () => attributesOf(args, call),
    failureOf,
  });
