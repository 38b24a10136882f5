import { afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

/** Fails a test during which a library prints a warning or an error. */
export const expectSilence = () => {
  let spies: MockInstance[] = [];
  beforeEach(() => {
    spies = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  });
  afterEach(() => {
    const printed = spies.flatMap((spy) => spy.mock.calls);
    for (const spy of spies) spy.mockRestore();
    expect(printed).toEqual([]);
  });
};
