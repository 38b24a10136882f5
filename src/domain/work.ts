/** Re-exports how work is bounded and scheduled, for folders that do not import `data`. */

export { type ByteBudget, createByteBudget, UNKNOWN_PAGES } from '../data/byte-budget.js';
export { createLoader } from '../data/create-loader.js';
export { createFairQueue } from '../data/fair-queue.js';
export { createPresence } from '../data/presence.js';
export {
  createPace,
  createTimeSlicer,
  type TimeSlicer,
  visitInSlices,
  yieldToEventLoop,
} from '../data/time-slicer.js';
export { type Waiter, waitInQueue } from '../data/wait-in-queue.js';
export {
  allowReplica,
  assertNotCancelled,
  beginWriting,
  CancelledError,
  countBody,
  countSize,
  createSharedWork,
  createWork,
  currentWork,
  endWork,
  payerOf,
  reserveResponse,
  runAs,
  runDetached,
  runUncancelled,
  type Usage,
  type Work,
  type Writes,
} from '../data/work.js';
