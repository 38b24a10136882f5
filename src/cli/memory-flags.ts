import { setFlagsFromString } from 'node:v8';

/** Collects garbage before the heap grows to several times its live size, at hardly any cost in speed. */
export const limitHeapGrowth = (): void => setFlagsFromString('--heap-growing-percent=40');

/**
 * Disables WebAssembly optimization: optimizing Prisma's query compiler takes more memory than the rest of an export,
 * and raw SQL does not use it. Not for the embedded database, which is WebAssembly itself.
 */
export const disableWasmOptimization = (): void => setFlagsFromString('--liftoff-only');
