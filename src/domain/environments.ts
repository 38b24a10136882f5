import { cut } from './cut.js';
import { NotFoundError } from './errors.js';

/** So many environments are named to somebody who asked for one that is not there. */
export const MOST_NAMED = 20;
const MAX_NAME = 100;

/** An environment that is not there, with those that are; of very many, the first. */
export const unknownEnvironment = (name: string, known: readonly string[]): NotFoundError => {
  const { message, resource, key } = NotFoundError.of('Environment', name);
  if (known.length === 0) return new NotFoundError(message, resource, key);
  const named = known.slice(0, MOST_NAMED).map((environment) => cut(environment, MAX_NAME));
  const more = known.length > MOST_NAMED ? ' and more' : '';
  return new NotFoundError(`${message} There are ${named.join(', ')}${more}.`, resource, key);
};
