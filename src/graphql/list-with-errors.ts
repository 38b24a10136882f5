import { BadDataError } from '../domain/errors.js';
import type { TimeSlicer } from '../domain/work.js';

/** Every error is written with its location in the operation, which takes longer than finding an object. */
const MAX_ERRORS = 10;

type Search<Entry, Found> = {
  argument: string;
  entries: readonly Entry[];
  find: (entry: Entry, index: number) => Promise<Found>;
  /** Set for large operations. */
  slicer?: TimeSlicer | undefined;
};

/**
 * Results in order, some of which may be errors: GraphQL assigns an error in a list to its position, and the others
 * keep their results. Too many errors become one error of the whole list.
 */
export const listWithErrors = async <Entry, Found>({
  argument,
  entries,
  find,
  slicer,
}: Search<Entry, Found>): Promise<Found[]> => {
  const errors: Error[] = [];
  const findOrFail = async (entry: Entry, index: number): Promise<Found | Error | null> => {
    if (slicer) await slicer.turn(entry);
    // The whole list is rejected.
    if (errors.length > MAX_ERRORS) return null;
    try {
      return await find(entry, index);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      errors.push(error);
      return error;
    }
  };
  const results = await Promise.all(entries.map(findOrFail));
  const [first] = errors;
  if (first && errors.length > MAX_ERRORS) {
    const other = errors.find((error) => !(error instanceof BadDataError));
    if (other) throw other;
    throw BadDataError.of({
      message: `More than ${MAX_ERRORS} of the ${entries.length} entries of '${argument}' are invalid. First error: ${first.message}`,
    });
  }
  return results as Found[];
};
