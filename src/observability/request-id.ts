import { randomUUID } from 'node:crypto';

/** Safe in logs and headers. */
const ACCEPTED = /^[\w.:/+=@-]{1,128}$/;

/** The ID that the client or a proxy gave the request, if it is safe, or else a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
