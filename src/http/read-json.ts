import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { BadDataError, ContentTypeError } from '../domain/errors.js';
import { currentWork, yieldToEventLoop } from '../domain/work.js';
import type { Call } from './call.js';
import { readBytes } from './read-body.js';

/** Parsing takes up to 10 ms per 64 KiB: bodies larger than this, or of unknown clients, are parsed by turns. */
const LARGE_BYTES = 4_096;
const CHARSETS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be'];

const charsetOf = (contentType: string) =>
  /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';

const assertCharset = (charset: string) => {
  if (CHARSETS.includes(charset)) return;
  throw new ContentTypeError(`Charset '${charset}' is not supported. Use utf-8.`);
};

const decode = (bytes: Buffer, charset: string) => {
  // Without a BOM, the position of the first zero reveals the byte order of JSON in UTF-16.
  const isBigEndian = bytes[0] === 0xfe || bytes[0] === 0;
  const encoding = charset === 'utf-16' && isBigEndian ? 'utf-16be' : charset;
  return new TextDecoder(encoding).decode(bytes);
};

/** Decides when a body is parsed. */
export type BodyCall = Pick<Call, 'facts' | 'recordBody' | 'throttle'>;

/** Rejects malformed JSON without repeating any of it: the parser's own message quotes the text. */
export const parseJson = (what: string, text: string, path?: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    const message = `${what} is not well-formed JSON.`;
    throw BadDataError.of({ message, ...(path !== undefined && { path }) });
  }
};

/** Reads a JSON body: bounded, decompressed, decoded and parsed. Undefined if there is none. */
export const readJson = async (
  request: { headers: IncomingHttpHeaders; stream: Readable },
  limit: number,
  call: BodyCall,
  assertText: (text: string) => void = () => undefined,
): Promise<{ text: string; value: unknown } | undefined> => {
  const owner = call.facts.actor ? (currentWork()?.owner ?? null) : null;
  const [read] = await Promise.allSettled([readBytes(request, { limit, owner })]);
  // The client has left, perhaps together with hundreds of others.
  if (read.status === 'rejected' && request.stream.errored) throw read.reason;
  const length = read.status === 'fulfilled' ? read.value.length : 0;
  // Clients can complete many bodies at the same time, and those without valid credentials open many connections.
  if (length > LARGE_BYTES || !call.facts.actor) {
    call.recordBody(length);
    await call.throttle();
    await yieldToEventLoop();
  }
  if (read.status === 'rejected') throw read.reason;
  if (length === 0) return undefined;
  const bytes = read.value;

  const charset = charsetOf(request.headers['content-type'] ?? '');
  assertCharset(charset);
  const text = decode(bytes, charset);
  if (text === '') return undefined;
  assertText(text);
  return { text, value: parseJson('The request body', text, '/body') };
};
