import { InvalidNameError } from '../errors.js';

export const MAX_NAME_LENGTH = 100;

const UNRESERVED = /^[A-Za-z0-9\-_.!~*'()]+$/;

/** Whether a name needs no encoding in a URL path; '.' and '..' would be resolved as relative segments. */
export const isUrlFriendly = (name: string): boolean =>
  UNRESERVED.test(name) && name !== '.' && name !== '..';

/** Throws InvalidNameError with a single reason. */
export const assertFeatureName = (name: string): void => {
  if (name === '') throw InvalidNameError.of({ message: 'The feature name cannot be empty.' });

  // As JSON, to escape lone surrogates; long names are truncated.
  const quoted = JSON.stringify(name.slice(0, MAX_NAME_LENGTH));
  if (!isUrlFriendly(name)) {
    throw InvalidNameError.of({
      message:
        name === '.' || name === '..'
          ? `The name ${quoted} is not allowed: URLs treat it as a relative path segment.`
          : `The name ${quoted} is not URL-friendly. Use only letters A to Z, digits and - _ . ! ~ * ' ( ).`,
    });
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw InvalidNameError.of({
      message: `A feature name can have at most ${MAX_NAME_LENGTH} characters (got ${name.length}): ${quoted}…`,
    });
  }
};
