/** For conditions that hold soon, on a busy machine a little later. */
export const PATIENTLY = { timeout: 15_000 };
