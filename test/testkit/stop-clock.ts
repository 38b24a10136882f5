import { vi } from 'vitest';

/**
 * Stops the clock for tests that count statements: as time passes, the event-log cache is refreshed in the background,
 * with statements that no response needs.
 */
export const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] });
