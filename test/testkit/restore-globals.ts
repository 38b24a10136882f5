import { afterAll, vi } from 'vitest';

// Test files of one worker share its globals.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
