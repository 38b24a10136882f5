import { type SpanAttributes, traceStep } from '../data/tracing.js';

type Operation = (...args: unknown[]) => Promise<unknown>;

/** Operations that read or write. The others neither use the database nor return a promise. */
const TRACED = /^(?:clone|count|explain|find|get|list|plan|search)[A-Z]/;
/** Operations on a batch of parents, such as `listEventsOf`. */
const BATCHED = /Of$/;

const batchSize = (input: unknown): SpanAttributes => {
  const values = Array.isArray(input) ? [input] : Object.values(input ?? {});
  const keys = values.find(Array.isArray);
  return keys ? { 'flaggraph.batch.size': keys.length } : {};
};

const traced =
  (name: string, operation: Operation): Operation =>
  (...args) =>
    traceStep(name, () => operation(...args), {
      attributes: () => (BATCHED.test(name) ? batchSize(args[1]) : {}),
    });

/** Makes every operation a step of the request that calls it. */
export const traceOperations = <Operations extends object>(operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      TRACED.test(name) ? traced(name, operation) : operation,
    ]),
  ) as Operations;
