import { DEFAULT_NOT_SEEN_DAYS, MAX_NOT_SEEN_DAYS } from '../../../data/projects/clean-up-kinds.js';
import { BadDataError } from '../../errors.js';

export { DEFAULT_NOT_SEEN_DAYS, MAX_NOT_SEEN_DAYS };

export const assertNotSeenForDays = ({ notSeenForDays }: { notSeenForDays?: number }): void => {
  if (notSeenForDays === undefined) return;
  if (notSeenForDays >= 1 && notSeenForDays <= MAX_NOT_SEEN_DAYS) return;
  throw BadDataError.of({
    message: `'notSeenForDays' must be between 1 and ${MAX_NOT_SEEN_DAYS} (got ${notSeenForDays}).`,
  });
};
