import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const CLIENT_ERRORS: ReadonlyMap<string | undefined, readonly [string, string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'The URL or the headers are too long.'],
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request did not arrive in time.']],
]);

const JSON_TYPE = 'application/json; charset=utf-8';

const errorBody = (message: string): string =>
  JSON.stringify({ id: randomUUID(), name: 'BadDataError', message, details: [{ message }] });

/** How long a client has to read why it was rejected. */
const LINGER_MS = 2_000;

/** Malformed HTTP gets an error response in the usual shape. */
export const rejectConnection = (error: NodeJS.ErrnoException, socket: Socket) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const [line, message] = CLIENT_ERRORS.get(error.code) ?? [
    '400 Bad Request',
    'The HTTP request is malformed.',
  ];
  const body = errorBody(message);
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${JSON_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A client that does not close its side would keep the connection open forever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};

/** The raw headers, because Node builds an object of all headers otherwise. */
const countHeaders = ({ rawHeaders }: IncomingMessage, name: string): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;

/** Node itself would silently ignore headers after the first 2,000. */
export const MAX_HEADERS = 100;

type Fault = { status: number; message: string };

/** What Node accepts although a proxy may understand it differently. Null for a valid request. */
export const faultOf = (request: IncomingMessage): Fault | null => {
  const { httpVersion, rawHeaders } = request;
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { status: 431, message: `A request can have at most ${MAX_HEADERS} headers.` };
  }
  const badRequest = (message: string): Fault => ({ status: 400, message });
  const hosts = countHeaders(request, 'host');
  if (httpVersion === '1.1' && hosts === 0) return badRequest('The request has no Host header.');
  if (hosts > 1) return badRequest('The request has more than one Host header.');
  if (httpVersion === '1.0' && countHeaders(request, 'transfer-encoding') > 0) {
    return badRequest('HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.');
  }
  const encoding = request.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked') {
    return badRequest('The Transfer-Encoding of a request can only be chunked.');
  }
  return httpVersion.startsWith('1.')
    ? null
    : badRequest(`HTTP version ${httpVersion} is not supported.`);
};

export const rejectFault = (response: ServerResponse, { status, message }: Fault): void => {
  const body = errorBody(message);
  response.writeHead(status, {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
};
