import { BadDataError } from '../domain/errors.js';

/** Every error of an answer is written out with its place in the operation, which takes longer than finding an object. */
const MOST_ERRORS = 10;

/**
 * Answers of which some may be errors, each in its place: GraphQL takes an error in a list for that of one place, and the
 * others keep what was found. Too many of them are one error of the whole list.
 */
export const listWithErrors = async <Found>(
  argument: string,
  answers: readonly Promise<Found>[],
): Promise<Found[]> => {
  const settled = await Promise.all(
    answers.map((answer) => answer.catch((error: unknown) => error)),
  );
  const errors = settled.filter((answer) => answer instanceof Error);
  const [first] = errors;
  if (first && errors.length > MOST_ERRORS) {
    const other = errors.find((error) => !(error instanceof BadDataError));
    if (other) throw other;
    throw BadDataError.of({
      message: `${errors.length} of the ${answers.length} in '${argument}' are refused. The first: ${first.message}`,
    });
  }
  return settled as Found[];
};
