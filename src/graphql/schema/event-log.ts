import type { Actor } from '../../domain/actor.js';
import type { Operations } from '../../domain/operations.js';
import { builder } from '../builder.js';
import { searchCost } from '../connection.js';
import { Event } from './event.js';
import { filterArg, parseEventPage } from './event-connection.js';
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
    description:
      'State of the event log: its oldest and newest events, and how far it is complete.',
    fields: (t) => ({
      settledId: t.exposeInt('settledId', {
        nullable: true,
        description:
          'Watermark: no new events will appear with this ID or a lower one. Higher IDs may still belong to uncommitted transactions. Null until the watermark is known, and always null if `canSettle` is false.',
      }),
      canSettle: t.exposeBoolean('canSettle', {
        description:
          'Whether the watermark can be determined. False on a replica, and where the ID sequence hands out IDs in blocks.',
      }),
      cursor: t.string({
        nullable: true,
        description:
          'Cursor right after `settledId`, even if no event has matched yet. `Subscription.events` with the same filter continues from here without missing events. Null if `settledId` is null.',
        args: { filter: t.arg(filterArg) },
        complexity: ({ filter }) => searchCost({ first: 1, filter }),
        resolve: ({ settledId }, { filter }, { now }) =>
          settledId === null
            ? null
            : parseEventPage({}, readEventFilter(filter, now), null).cursorAt(settledId),
      }),
      oldest: t.field({
        type: Event,
        nullable: true,
        description: 'Oldest event visible to you. Nothing before it is known.',
        resolve: (_log, _args, { actor, operations }) => oneEvent(operations, actor, true),
      }),
      newest: t.field({
        type: Event,
        nullable: true,
        description: 'Newest event visible to you.',
        resolve: (_log, _args, { actor, operations }) => oneEvent(operations, actor, false),
      }),
    }),
  });

builder.queryField('eventLog', (t) =>
  t.field({
    type: EventLog,
    description: 'How far back the event log reaches, and up to which event it is complete.',
    resolve: (_root, _args, { operations }) => operations.findSettledId(),
  }),
);
