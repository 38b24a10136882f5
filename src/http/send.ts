import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { knownOwnerOf, ownerOf } from './connection-owners.js';
import { threadJobs } from './thread-jobs.js';
import { createTurns } from './turns.js';

export type HttpResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | Buffer | null;
  /** For the log. */
  errorCode?: string | undefined;
};

const MIN_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /^(text\/|application\/([\w.-]+\+)?json|image\/svg)/;

export type Encoding = 'br' | 'gzip';

/** Larger bodies are compressed while they are sent. */
const MAX_UNSTREAMED_BYTES = 1_048_576;
/** Larger bodies are sent in chunks of this size. */
const PIECE_BYTES = 65_536;
/** How long sent data may stay unread. */
const STALL_TIMEOUT_MS = 30_000;

export type SendOptions = { stallTimeoutMs?: number };

const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 4 };
// A window of 256 KiB: the default takes megabytes for each response that is not read.
const SMALL_WINDOW = { [constants.BROTLI_PARAM_LGWIN]: 18 };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const encoders = {
  br: (body: Buffer) => compressBrotli(body, { params: QUALITY }),
  gzip: (body: Buffer) => compressGzip(body),
};

/** Compress while the body is sent. */
export const streamEncoders = {
  br: () => createBrotliCompress({ params: { ...QUALITY, ...SMALL_WINDOW } }),
  gzip: () => createGzip(),
};

/** Longer values are not parsed: the body is sent as it is, which every client accepts. */
const MAX_ACCEPT_ENCODING_LENGTH = 500;

/** The best encoding the client accepts. `q=0` rejects one, and `*` means those that are not named. */
export const encodingFor = (accepted: string | undefined): Encoding | null => {
  if ((accepted?.length ?? 0) > MAX_ACCEPT_ENCODING_LENGTH) return null;
  const offers = (accepted ?? '').split(',').map((offer) => {
    const [token, ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return { token, isExcluded: parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) };
  });
  const takes = (name: string) => {
    const named = offers.filter(({ token }) => token === name);
    const candidates = named.length > 0 ? named : offers.filter(({ token }) => token === '*');
    return candidates.some(({ isExcluded }) => !isExcluded);
  };
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
};

export const withEncoding = (vary: string | undefined) => {
  if (vary === undefined) return 'Accept-Encoding';
  return /\baccept-encoding\b/i.test(vary) ? vary : `${vary}, Accept-Encoding`;
};

/** The encoding of a response (null for none) and its headers. */
const negotiate = (request: IncomingMessage, { body, headers }: HttpResponse) => {
  const isCompressible =
    body !== null &&
    COMPRESSIBLE.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    body.length > MIN_COMPRESSED_BYTES;
  if (!isCompressible) return { encoding: null, headers };
  const encoding = encodingFor(request.headers['accept-encoding']);
  const vary = withEncoding(headers['vary']);
  return {
    encoding,
    headers: { ...headers, vary, ...(encoding && { 'content-encoding': encoding }) },
  };
};

/** Node sets these itself. A response with both framings has two ends: proxies see one, clients the other. */
const withoutFraming = (headers: Record<string, string>): Record<string, string> => {
  const { 'transfer-encoding': _, connection: __, ...rest } = headers;
  return rest;
};

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    yield body.subarray(start, start + PIECE_BYTES);
  }
}

/** Per turn of the event loop: hundreds of clients may start to read at the same time. */
const SEND_TURN_MS = 2;
const turns = createTurns(SEND_TURN_MS);

/** Resolves with the next of these events, or when the response is closed. */
const nextEvent = (response: ServerResponse, event: 'drain' | 'finish'): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      response.off(event, end).off('close', end);
      resolve();
    };
    if (response.closed) resolve();
    else response.on(event, end).on('close', end);
  });

/** Resolves when the client has taken what was written so far. Clients take turns. */
const writeInTurn = (response: ServerResponse, piece: Buffer): Promise<void> =>
  new Promise((resolve) => {
    const write = () => {
      // The event may follow before a promise could be awaited.
      if (response.closed || response.write(piece)) resolve();
      else resolve(nextEvent(response, 'drain'));
    };
    if (turns.hasTime()) turns.runNow(write);
    else turns.runLater(ownerOf(response.req.socket), write);
  });

/**
 * Sends in chunks, and disconnects a client that takes none for `stallTimeoutMs`. Node's own timeout may take twice as
 * long.
 */
const sendInPieces = async (
  response: ServerResponse,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  stallTimeoutMs: number,
): Promise<void> => {
  const timer = setTimeout(() => response.destroy(), stallTimeoutMs);
  try {
    for await (const piece of pieces) {
      timer.refresh();
      await writeInTurn(response, piece);
      if (response.closed) return;
    }
    response.end();
    if (!response.writableFinished) await nextEvent(response, 'finish');
  } catch {
    // Compression has failed.
    response.destroy();
  } finally {
    clearTimeout(timer);
  }
};

/** Sends one chunk, and disconnects a client that has not taken it in time. Responses before it don't count. */
const sendBuffer = (
  response: ServerResponse,
  body: Buffer | undefined,
  stallTimeoutMs: number,
): void => {
  const start = () => {
    const timer = setTimeout(() => response.destroy(), stallTimeoutMs);
    response.once('close', () => clearTimeout(timer));
  };
  response.end(body);
  if (response.writableFinished) return;
  if (response.socket) start();
  else response.once('socket', start);
};

/**
 * Writes a response. Large ones are compressed in chunks as the client reads them, so that no second copy is held. A
 * client that stops reading is disconnected.
 */
export const send = async (
  request: IncomingMessage,
  response: ServerResponse,
  httpResponse: HttpResponse,
  { stallTimeoutMs = STALL_TIMEOUT_MS }: SendOptions = {},
): Promise<void> => {
  const body =
    typeof httpResponse.body === 'string' ? Buffer.from(httpResponse.body) : httpResponse.body;
  const { encoding, headers } = negotiate(request, { ...httpResponse, body });
  const isHead = request.method === 'HEAD';
  const allHeaders = { 'x-content-type-options': 'nosniff', ...withoutFraming(headers) };
  if (body === null) {
    sendBuffer(response.writeHead(httpResponse.status, allHeaders), undefined, stallTimeoutMs);
    return;
  }
  if (encoding && body.length > MAX_UNSTREAMED_BYTES) {
    response.writeHead(httpResponse.status, allHeaders);
    if (isHead) sendBuffer(response, undefined, stallTimeoutMs);
    else await sendInPieces(response, streamEncoders[encoding]().end(body), stallTimeoutMs);
    return;
  }
  const compress = (chosen: Encoding) =>
    threadJobs.run(knownOwnerOf(request.socket), async () =>
      response.closed ? body : encoders[chosen](body),
    );
  const sent = encoding ? await compress(encoding) : body;
  if (response.closed) return;
  response.writeHead(httpResponse.status, { ...allHeaders, 'content-length': String(sent.length) });
  if (isHead) sendBuffer(response, undefined, stallTimeoutMs);
  else if (sent.length <= PIECE_BYTES) sendBuffer(response, sent, stallTimeoutMs);
  else await sendInPieces(response, piecesOf(sent), stallTimeoutMs);
};
