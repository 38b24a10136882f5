import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError } from 'graphql';
import { writeJson } from '../http/write-json.js';

/** Whoever asks for a thousand things that fail learns no more from the last than from the first. */
const MOST_ERRORS = 100;

const withFewErrors = (result: ExecutionResult): ExecutionResult => {
  const { errors } = result;
  if (!errors || errors.length <= MOST_ERRORS) return result;
  const rest = new GraphQLError(`${errors.length - MOST_ERRORS} more errors are not shown.`, {
    extensions: { code: 'LIMIT_EXCEEDED' },
  });
  return { ...result, errors: [...errors.slice(0, MOST_ERRORS), rest] };
};

/** GraphQL's own, with results that Yoga writes as all our answers are written: payloads are of any depth. */
export const executeOperation = async (args: ExecutionArgs): Promise<ExecutionResult> =>
  Object.assign(withFewErrors(await execute(args)), { stringify: writeJson });
