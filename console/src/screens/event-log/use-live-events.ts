import { followEvents, type LiveStatus } from '@flaggraph/client/live/index.js';
import { sseClient } from '@flaggraph/client/live/sse.js';
import { useEffect, useState } from 'react';
import { checkConnection } from '../../api/connection.js';
import { requestHeaders } from '../../api/create-client.js';
import {
  type EventFilter,
  type EventRowFragment,
  FollowEventsDocument,
} from '../../generated/documents.js';
import { endpoint } from '../../settings.js';

/** Follows the log from a cursor; after an interruption it continues where it stopped. */
export const useLiveEvents = (
  filter: EventFilter,
  after: string | null | undefined,
  onEvent: (row: EventRowFragment) => void,
): LiveStatus['state'] => {
  const [state, setState] = useState<LiveStatus['state']>('waiting');
  useEffect(() => {
    if (after === undefined) return;
    const client = sseClient({
      url: new URL(endpoint, location.href).href,
      headers: requestHeaders,
      fetch: (input, init) => fetch(input, { ...init, credentials: 'same-origin' }),
    });
    return followEvents({
      client,
      document: FollowEventsDocument,
      filter,
      after,
      onEvent: ({ node }) => onEvent(node),
      onStatus: ({ state }) => {
        setState(state);
        if (state === 'waiting') void checkConnection();
      },
    });
  }, [filter, after, onEvent]);
  return state;
};
