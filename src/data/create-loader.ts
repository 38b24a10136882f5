import DataLoader from 'dataloader';
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

/**
 * In a large operation, each caller continues in a turn of its own, even if thousands have loaded the same key. Together
 * they would stop the event loop, for a time that would count for no client.
 */
class PacedLoader<Key, Value, CacheKey> extends DataLoader<Key, Value, CacheKey> {
  override load(key: Key): Promise<Value> {
    const slicer = currentWork()?.slicer;
    const loading = super.load(key);
    return slicer ? loading.then((value) => slicer.turn(value)) : loading;
  }
}

export const createLoader = <Key, Value, CacheKey = Key>(
  batch: DataLoader.BatchLoadFn<Key, Value>,
  options: DataLoader.Options<Key, Value, CacheKey> = {},
): DataLoader<Key, Value, CacheKey> =>
  new PacedLoader(batch, { ...options, batchScheduleFn: scheduleBatch });
