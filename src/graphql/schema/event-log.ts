import type { Actor } from '../../domain/actor.js';
import type { Operations } from '../../domain/operations.js';
import { builder } from '../builder.js';
import { Event } from './event.js';
import { filterArg, readEventPage } from './event-connection.js';
import { readEventFilter } from './event-filter.js';

const oneEvent = async (operations: Operations, actor: Actor, backward: boolean) => {
  const { rows } = await operations.listEvents(actor, {
    criteria: {},
    page: { limit: 1, backward },
  });
  return rows[0] ?? null;
};

const EventLog = builder
  .objectRef<{ settledId: number | null; canSettle: boolean }>('EventLog')
  .implement({
    description: 'How far the recorded events reach.',
    fields: (t) => ({
      settledId: t.exposeInt('settledId', {
        nullable: true,
        description:
          'No event up to this number will appear any more; larger numbers may still be in the hands of somebody who is writing. Null while that cannot be told yet, and for ever where `canSettle` is false.',
      }),
      canSettle: t.exposeBoolean('canSettle', {
        description:
          'Whether it can be told at all how far the log is complete: not on a replica, nor where numbers are handed out in portions.',
      }),
      cursor: t.string({
        nullable: true,
        description:
          'Cursor of the place behind `settledId`, also where nothing has matched yet: `Subscription.events` with the same filter goes on from here and misses nothing. Null where `settledId` is.',
        args: { filter: t.arg(filterArg) },
        resolve: ({ settledId }, { filter }) =>
          settledId === null
            ? null
            : readEventPage({}, readEventFilter(filter), null).cursorAt(settledId),
      }),
      oldest: t.field({
        type: Event,
        nullable: true,
        description: 'The first event you may see; nothing before it is known.',
        resolve: (_log, _args, { actor, operations }) => oneEvent(operations, actor, true),
      }),
      newest: t.field({
        type: Event,
        nullable: true,
        description: 'The last event you may see.',
        resolve: (_log, _args, { actor, operations }) => oneEvent(operations, actor, false),
      }),
    }),
  });

builder.queryField('eventLog', (t) =>
  t.field({
    type: EventLog,
    description: 'How far back the recorded events reach, and how far they are complete.',
    resolve: (_root, _args, { operations }) => operations.findSettledId(),
  }),
);
