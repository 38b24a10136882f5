import { BadDataError } from '../../errors.js';

/** Tolerance for callers whose clocks are ahead. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Null if the past can be read at this timestamp. */
export const faultOfPast = (name: string, time: Date): BadDataError | null => {
  if (time.getTime() <= Date.now() + CLOCK_TOLERANCE_MS) return null;
  const message = `'${name}' must not be in the future (got ${time.toISOString()}).`;
  return BadDataError.of({ message });
};
