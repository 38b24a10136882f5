import { vi } from 'vitest';

/**
 * Stops the time of day for a file of tests that count statements: as it goes by, what is remembered of the log is tended
 * beside an answer, with statements that no answer needs.
 */
export const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] });
