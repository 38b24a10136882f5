import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { BadDataError, ContentTypeError } from '../domain/errors.js';
import { readBytes } from './read-body.js';

const CHARSETS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be'];

const charsetOf = (contentType: string) =>
  /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';

const assertCharset = (charset: string) => {
  if (CHARSETS.includes(charset)) return;
  throw new ContentTypeError(`Bodies in charset '${charset}' are not read here. Send utf-8.`);
};

const decode = (bytes: Buffer, charset: string) => {
  // Without a mark, a JSON text in UTF-16 shows its byte order by where the first zero stands.
  const isBigEndian = bytes[0] === 0xfe || bytes[0] === 0;
  const encoding = charset === 'utf-16' && isBigEndian ? 'utf-16be' : charset;
  return new TextDecoder(encoding).decode(bytes);
};

/** Refuses what is no JSON without repeating any of it: the parser's own message quotes the text. */
export const parseJson = (what: string, text: string, path?: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    const message = `${what} is not well-formed JSON.`;
    throw BadDataError.of({ message, ...(path !== undefined && { path }) });
  }
};

/** Reads a JSON body: bounded, decompressed, decoded and parsed; undefined when there is none. */
export const readJson = async (
  request: { headers: IncomingHttpHeaders; stream: Readable },
  limit: number,
): Promise<{ text: string; value: unknown } | undefined> => {
  const bytes = await readBytes(request, limit);
  if (bytes.length === 0) return undefined;

  const charset = charsetOf(request.headers['content-type'] ?? '');
  assertCharset(charset);
  const text = decode(bytes, charset);
  if (text === '') return undefined;
  return { text, value: parseJson('The request body', text, '/body') };
};
