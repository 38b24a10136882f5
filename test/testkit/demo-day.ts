/** The day on which the demo world of the tests was loaded. */
export const DEMO_DAY = new Date('2026-03-02T12:00:00Z');
