import { Actor, ADMIN_TOKEN_USER_ID } from '../../src/domain/actor.js';

/** An actor without permissions that sees all events, or only those of projects. */
export const userActor = (seesAllEvents: boolean): Actor =>
  new Actor({
    kind: 'USER',
    userId: 1,
    author: 'somebody',
    name: null,
    grants: [],
    seesAllEvents,
    visibleProjects: null,
    ip: null,
  });

/** An actor with all permissions. */
export const adminActor: Actor = new Actor({
  kind: 'ADMIN_TOKEN',
  userId: ADMIN_TOKEN_USER_ID,
  author: 'admin',
  name: null,
  grants: [{ permission: 'ADMIN', project: null, environment: null }],
  seesAllEvents: true,
  visibleProjects: null,
  ip: null,
});
