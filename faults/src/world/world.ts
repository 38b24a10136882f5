import type { Scope } from '../scope.js';
import { createPostgres, type PostgresServer } from '../servers/postgres.js';
import { fillWorld } from './fill.js';

const TEMPLATE = 'world';

export type World = {
  server: PostgresServer;
  events: number;
  /** Copies the filled database for one experiment; the copy is dropped with its scope. */
  copy(scope: Scope, name: string): Promise<string>;
};

/** A server with a filled database that experiments copy. */
export const createWorld = async (scope: Scope, events: number): Promise<World> => {
  const server = await createPostgres();
  scope.onClose(() => server.remove());
  await server.query('postgres', `create database ${TEMPLATE} template template0`);
  await fillWorld(server.urlOf(TEMPLATE), events);
  return {
    server,
    events,
    copy: async (copyScope, name) => {
      await server.query(
        'postgres',
        `create database ${name} template ${TEMPLATE} strategy file_copy`,
      );
      copyScope.onClose(() =>
        server.query('postgres', `drop database if exists ${name} with (force)`),
      );
      return server.urlOf(name);
    },
  };
};
