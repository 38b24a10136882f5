import { NotFoundError } from './errors.js';
import { truncate } from './truncate.js';

/** Maximum number of environments that the error lists. */
export const MAX_NAMED_ENVIRONMENTS = 20;
const MAX_NAME = 100;

/** Lists the existing environments, or the first of them. */
export const unknownEnvironment = (name: string, known: readonly string[]): NotFoundError => {
  const { message, resource, key } = NotFoundError.of('Environment', name);
  if (known.length === 0) return new NotFoundError(message, resource, key);
  const named = known
    .slice(0, MAX_NAMED_ENVIRONMENTS)
    .map((environment) => truncate(environment, MAX_NAME));
  const more = known.length > MAX_NAMED_ENVIRONMENTS ? ' and more' : '';
  return new NotFoundError(
    `${message} Existing environments: ${named.join(', ')}${more}.`,
    resource,
    key,
  );
};
