import DataLoader from 'dataloader';
import type { TimeSlicer } from './work/time-slicer.js';
import { currentWork } from './work/work.js';

const resolved = Promise.resolve();

/** As DataLoader does by default: after all promise callbacks that are ready now. */
const afterCallbacks = (run: () => void): void => {
  void resolved.then(() => process.nextTick(run));
};

/** A large operation proceeds in slices; one batch collects the keys of all of them. */
const scheduleBatch = (run: () => void): void => {
  const slicer = currentWork()?.slicer;
  if (!slicer) {
    afterCallbacks(run);
    return;
  }
  // The callbacks themselves may wait for a turn, and load more keys in it.
  const runOnceSettled = () => {
    if (slicer.isSettled()) run();
    else scheduleBatch(run);
  };
  slicer.whenSettled(() => afterCallbacks(runOnceSettled));
};

/** The callers of a batch of this size continue at once. */
const SMALL_BATCH = 200;

/** Thousands of callers that continue at once would stop the event loop for a tenth of a second. */
const deliver = <Value>(
  values: ArrayLike<Value | Error>,
  slicer: TimeSlicer,
): (Value | Error | Promise<Value>)[] =>
  Array.from(values, (value) => (value instanceof Error ? value : slicer.turn(value)));

export const createLoader = <Key, Value, CacheKey = Key>(
  batch: DataLoader.BatchLoadFn<Key, Value>,
  options: DataLoader.Options<Key, Value, CacheKey> = {},
): DataLoader<Key, Value, CacheKey> => {
  const load = async (keys: readonly Key[]): Promise<ArrayLike<Value | Error>> => {
    const values = await batch(keys);
    const slicer = currentWork()?.slicer;
    if (!slicer || keys.length <= SMALL_BATCH) return values;
    // DataLoader resolves the promise of a key with the promise of its value.
    return deliver(values, slicer) as ArrayLike<Value | Error>;
  };
  return new DataLoader(load, { ...options, batchScheduleFn: scheduleBatch });
};
