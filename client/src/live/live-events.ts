import type { LiveEventsSubscription } from '../generated/documents.js';
import { type EdgeOf, followEvents, type LiveOptions } from './follow-events.js';
import type { LiveError } from './live-error.js';

/**
 * The event log as an async iterator. It ends when `signal` is aborted, and throws a `LiveError` when the stream cannot
 * continue. Events that arrive while the loop is busy wait for it.
 */
export async function* liveEvents<
  Data extends { events: { cursor: string } } = LiveEventsSubscription,
>(options: LiveOptions<Data>): AsyncGenerator<EdgeOf<Data>, void, undefined> {
  const waiting: EdgeOf<Data>[] = [];
  let isClosed = false;
  let failure: LiveError | undefined;
  let wake = () => {};
  const stop = followEvents<Data>({
    ...options,
    onEvent: (edge) => {
      waiting.push(edge);
      wake();
    },
    onStatus: (status) => {
      if (status.state === 'closed') {
        isClosed = true;
        failure = status.error;
        wake();
      }
      options.onStatus?.(status);
    },
  });
  try {
    while (options.signal?.aborted !== true) {
      const edge = waiting.shift();
      if (edge !== undefined) yield edge;
      else if (failure !== undefined) throw failure;
      else if (isClosed) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop();
  }
}
