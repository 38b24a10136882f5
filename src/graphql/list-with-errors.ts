import { BadDataError } from '../domain/errors.js';

/** Every error is written with its location in the operation, which takes longer than finding an object. */
const MAX_ERRORS = 10;

/**
 * Results in order, some of which may be errors: GraphQL assigns an error in a list to its position, and the others
 * keep their results. Too many errors become one error of the whole list.
 */
export const listWithErrors = async <Found>(
  argument: string,
  results: readonly Promise<Found>[],
): Promise<Found[]> => {
  const settled = await Promise.all(
    results.map((result) => result.catch((error: unknown) => error)),
  );
  const errors = settled.filter((result) => result instanceof Error);
  const [first] = errors;
  if (first && errors.length > MAX_ERRORS) {
    const other = errors.find((error) => !(error instanceof BadDataError));
    if (other) throw other;
    throw BadDataError.of({
      message: `${errors.length} of the ${results.length} entries of '${argument}' are invalid. First error: ${first.message}`,
    });
  }
  return settled as Found[];
};
