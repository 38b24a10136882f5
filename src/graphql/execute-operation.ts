import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { writeJson } from '../http/write-json.js';

/** GraphQL's own, with results that Yoga writes as all our answers are written: payloads are of any depth. */
export const executeOperation = async (args: ExecutionArgs): Promise<ExecutionResult> =>
  Object.assign(await execute(args), { stringify: writeJson });
