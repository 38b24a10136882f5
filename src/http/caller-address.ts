import type { IncomingMessage } from 'node:http';

/** Where a call came from: what the first proxy says, else the socket. Recorded, never trusted. */
export const callerAddress = ({ headers, socket }: IncomingMessage): string | null => {
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',');
  return forwarded.map((entry) => entry.trim()).find(Boolean) ?? socket.remoteAddress ?? null;
};
