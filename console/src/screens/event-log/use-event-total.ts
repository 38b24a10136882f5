import { useClient } from 'urql';
import { type EventFilter, EventTotalDocument } from '../../generated/documents.js';
import { useThrottled } from '../../ui/use-throttled.js';

const WAIT_MS = 300;

/** Counts the events of a filter again. The cache passes the new total on to what shows it. */
export const useEventTotal = (filter: EventFilter): (() => void) => {
  const client = useClient();
  return useThrottled(
    () =>
      void client
        .query(EventTotalDocument, { filter }, { requestPolicy: 'network-only' })
        .toPromise(),
    WAIT_MS,
  );
};
