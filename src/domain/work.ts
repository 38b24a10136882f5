/** Re-exports how work is bounded and scheduled, for folders that do not import `data`. */

export { createLoader } from '../data/create-loader.js';
export { type ByteBudget, createByteBudget, unknownPagesOf } from '../data/work/byte-budget.js';
export { createFairQueue } from '../data/work/fair-queue.js';
export { createPresence } from '../data/work/presence.js';
export {
  createPace,
  createTimeSlicer,
  mapInSlices,
  sortInSlices,
  type TimeSlicer,
  takeTurn,
  visitInSlices,
  yieldToEventLoop,
} from '../data/work/time-slicer.js';
export { type Waiter, waitInQueue } from '../data/work/wait-in-queue.js';
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
  memoryOwnerOf,
  reserveResponse,
  runAs,
  runDetached,
  runUncancelled,
  type Usage,
  type Work,
  type Writes,
} from '../data/work/work.js';
