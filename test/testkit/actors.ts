import { Actor } from '../../src/domain/actor.js';

/** Somebody without any grant, who sees all events or only those of projects. */
export const actorWho = (seesAllEvents: boolean): Actor =>
  new Actor({
    kind: 'USER',
    userId: 1,
    author: 'somebody',
    name: null,
    grants: [],
    seesAllEvents,
    ip: null,
  });
