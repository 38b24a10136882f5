import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

const TURN_MS = 50;
const QUIET_TURNS = 5;

/** Connections that look idle may contain unread requests, so they stay open until nothing has arrived for a while. */
export const settle = async (isBusy: () => boolean, limitMs: number): Promise<void> => {
  const deadline = Date.now() + limitMs;
  for (let quiet = 0; quiet < QUIET_TURNS && Date.now() < deadline; ) {
    await delay(TURN_MS);
    quiet = isBusy() ? 0 : quiet + 1;
  }
};

/** Clients that connect without end must not delay a stop. */
const MAX_ACCEPTING_TURNS = 1_000;

/** Connections that still wait to be accepted when a server stops listening are reset, with the requests sent on them. */
export const acceptWaiting = async (server: Server): Promise<void> => {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on('connection', onConnection);
  // Each turn of the event loop may accept only one.
  for (let turns = 0; !isQuiet && turns < MAX_ACCEPTING_TURNS; turns += 1) {
    isQuiet = true;
    await nextTurn();
  }
  server.off('connection', onConnection);
};

/** Rejects new connections, so that load balancers use another server. Open connections stay. */
export const stopListening = (server: Server): Promise<void> =>
  // `close` of HTTP servers also closes connections on which a request may be in flight.
  new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
