import { parsePath } from '../../../data/events/change-path.js';
import { BadDataError } from '../../errors.js';
import { assertText } from '../../text.js';

const MAX_PATH_LENGTH = 500;
const MAX_STEPS = 20;

/** Rejects what is not a path, and paths that no event could contain. */
export const assertTouchedPath = (path: string): void => {
  if (path.length > MAX_PATH_LENGTH) {
    const message = `'touches' must have at most ${MAX_PATH_LENGTH} characters (got ${path.length}).`;
    throw BadDataError.of({ message });
  }
  assertText(`'touches'`, path);
  const steps = parsePath(path);
  if (!steps) {
    const message = `'touches' must be a path such as parameters.rollout or constraints[contextName=userId,operator=IN].values.`;
    throw BadDataError.of({ message });
  }
  if (steps.length > MAX_STEPS) {
    const message = `'touches' must have at most ${MAX_STEPS} steps (got ${steps.length}).`;
    throw BadDataError.of({ message });
  }
  for (const step of steps) {
    if (step.kind === 'key') assertText(`'touches'`, step.key);
    if (step.kind === 'item') assertText(`'touches'`, ...step.fields.flat().map(String));
  }
};
