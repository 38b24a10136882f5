import type { ServerResponse } from 'node:http';
import { OverloadedError } from '../domain/errors.js';
import type { ByteBudget } from '../domain/work.js';
import { isKept } from './kept-bodies.js';
import type { HttpResponse } from './send.js';

type Held = { responses: number; owner: string };

const noRoom = (): HttpResponse => {
  const { id, name, message, details } = new OverloadedError(
    'The gateway has reached its memory limit for responses, most of them not yet read by clients. Retry shortly.',
  );
  return {
    status: 503,
    headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' },
    body: JSON.stringify({
      id,
      name,
      message,
      details,
      errors: [{ message, extensions: { code: 'OVERLOADED', id, name } }],
    }),
    errorCode: 'OVERLOADED',
  };
};

/**
 * Counts bodies from creation until they are sent. A body that several responses share counts once, and one that the
 * process keeps anyway does not count.
 */
export const createBodyBudget = (budget: ByteBudget) => {
  const shared = new Map<Buffer, Held>();

  const release = (body: Buffer) => {
    const reservation = shared.get(body);
    if (!reservation) return;
    reservation.responses -= 1;
    if (reservation.responses > 0) return;
    shared.delete(body);
    budget.release(reservation.owner, body.length);
  };

  return {
    /** The response itself, or 503 if there is no room for it. */
    hold: (response: ServerResponse, owner: string, httpResponse: HttpResponse): HttpResponse => {
      // Node does not close responses queued behind another one when their connection closes.
      const isGone = response.closed || response.req.socket.destroyed;
      if (httpResponse.body === null || isGone) return httpResponse;
      const body = Buffer.isBuffer(httpResponse.body)
        ? httpResponse.body
        : Buffer.from(httpResponse.body);
      if (isKept(body)) return httpResponse;
      const reservation = shared.get(body);
      if (reservation) reservation.responses += 1;
      else if (budget.take(owner, body.length, body.length)) {
        shared.set(body, { responses: 1, owner });
      } else return noRoom();
      response.on('close', () => release(body));
      return { ...httpResponse, body };
    },
  };
};
