import { builder } from '../builder.js';
import { selectsAny } from '../selected-fields.js';
import { mapStream } from '../subscribe.js';
import { PAYLOAD_FIELDS } from './event.js';
import { EventEdge, filterArg, readEventPage } from './event-connection.js';
import { readEventFilter } from './event-filter.js';

/** What each event costs, again and again. */
const FOLLOW_COST = 50;

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventEdge,
    description:
      'Recorded events as they come, over server-sent events: each once, in the order of their numbers, whoever records them. Connect again with the last cursor to miss nothing.',
    complexity: { field: FOLLOW_COST, multiplier: 1 },
    args: {
      filter: t.arg(filterArg),
      after: t.arg.string({
        description:
          'Starts with the events behind this cursor of the same filter, be it from here or from a page of `Query.events`; only new ones when left out.',
      }),
    },
    subscribe: async (
      _root,
      { filter, after },
      { actor, renewActor, signal, operations },
      info,
    ) => {
      const criteria = readEventFilter(filter);
      const { page, toEdge } = readEventPage({ after }, criteria, null);
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
