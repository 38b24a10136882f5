import type { IncomingMessage } from 'node:http';

/** Where a call came from: what the first proxy says, else the socket. Recorded, never trusted. */
export const callerAddress = ({ headers, socket }: IncomingMessage): string | null => {
  const forwarded = [headers['x-forwarded-for']].flat().join(',').split(',')[0]?.trim();
  return forwarded?.replaceAll('\0', '').slice(0, 255) || socket.remoteAddress || null;
};
