import { InvalidNameError } from '../errors.js';

export const MAX_NAME_LENGTH = 100;

const UNRESERVED = /^[A-Za-z0-9\-_.!~*'()]+$/;

/** Whether a name stands in a path as it is; '.' and '..' would be read as directions. */
export const isUrlFriendly = (name: string): boolean =>
  UNRESERVED.test(name) && name !== '.' && name !== '..';

/** Throws InvalidNameError with the one reason why a feature cannot be called so. */
export const assertFeatureName = (name: string): void => {
  if (name === '') throw InvalidNameError.of({ message: 'The name of a feature cannot be empty.' });

  // Printed as JSON: half a surrogate pair is escaped, and a name of any size is cut.
  const shown = JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
  if (!isUrlFriendly(name)) {
    throw InvalidNameError.of({
      message:
        name === '.' || name === '..'
          ? `A feature cannot be called ${shown}: paths read it as a direction.`
          : `The name ${shown} does not fit into a URL. Use letters A to Z, digits and - _ . ! ~ * ' ( ) only.`,
    });
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw InvalidNameError.of({
      message: `The name of a feature has at most ${MAX_NAME_LENGTH} characters; the one that begins with ${shown} has ${name.length}.`,
    });
  }
};
