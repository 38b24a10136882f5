import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { statusOf } from './errors.js';

/** An answer that holds nothing but errors has the status the same failure has in REST. */
export const useStatus = (): Plugin => ({
  onResultProcess({ result, setResult }) {
    const { data, errors, extensions } = result as ExecutionResult;
    if (!errors || (data !== null && data !== undefined)) return;
    const status = statusOf(errors);
    if (status === undefined) return;
    setResult({
      ...(result as ExecutionResult),
      extensions: {
        ...extensions,
        http: { status, ...(status === 503 && { headers: { 'retry-after': '1' } }) },
      },
    } as ExecutionResult);
  },
});
