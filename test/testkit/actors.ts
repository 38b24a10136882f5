import { Actor, ADMIN_TOKEN_USER_ID } from '../../src/domain/actor.js';

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

/** Somebody who may do everything everywhere. */
export const adminActor: Actor = new Actor({
  kind: 'ADMIN_TOKEN',
  userId: ADMIN_TOKEN_USER_ID,
  author: 'admin',
  name: null,
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  ip: null,
});
