import { builder } from '../builder.js';
import { searchCost } from '../connection.js';
import { selectsAny } from '../selected-fields.js';
import { FOLLOWED_EVENTS, mapStream } from '../subscribe.js';
import { PAYLOAD_FIELDS } from './event.js';
import { EventEdge, filterArg, parseEventPage } from './event-connection.js';
import { readEventFilter } from './event-filter.js';

const followCost = ({ filter }: { filter?: unknown }) => ({
  ...searchCost({ filter }),
  multiplier: FOLLOWED_EVENTS,
});

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventEdge,
    description:
      'Streams events as they are recorded, over server-sent events (SSE) or a WebSocket: each event once, in ID order, regardless of which process records it. To resume without gaps, reconnect with the last cursor.',
    complexity: followCost,
    args: {
      filter: t.arg(filterArg),
      after: t.arg.string({
        description:
          'Starts after this cursor, taken from this subscription or from `Query.events` with the same filter. If omitted, streams only new events.',
      }),
    },
    subscribe: async (
      _root,
      { filter, after },
      { actor, now, renewActor, signal, operations },
      info,
    ) => {
      const criteria = readEventFilter(filter, now);
      const { page, toEdge } = parseEventPage({ after }, criteria, null);
      const events = await operations.followEvents(actor, {
        criteria,
        after: page.after,
        hasPayload: selectsAny(info, PAYLOAD_FIELDS),
        renewActor,
        signal,
      });
      return mapStream(events, (followed) => ({
        actor: followed.actor,
        edge: toEdge(followed.event),
      }));
    },
    resolve: ({ edge }) => edge,
  }),
);
