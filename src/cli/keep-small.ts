import { setFlagsFromString } from 'node:v8';

/** Collects garbage before the heap has grown to several times of what is in use; that costs hardly any speed. */
export const collectEarly = (): void => setFlagsFromString('--heap-growing-percent=40');

/**
 * Leaves WebAssembly as it is compiled at first: to optimise Prisma's query compiler takes more memory than all the rest
 * of an export, and it has nothing to do for SQL of our own. Not for the embedded database, which is WebAssembly itself.
 */
export const leaveUnoptimised = (): void => setFlagsFromString('--liftoff-only');
