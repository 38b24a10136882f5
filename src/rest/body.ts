import { BadDataError, ContentTypeError } from '../domain/errors.js';
import { isObject, type JsonObject } from '../domain/json.js';
import { mediaTypeOf, readBytes } from '../http/read-body.js';
import { invalidValue } from './errors.js';
import type { RestRequest } from './http.js';

export const MAX_BODY_BYTES = 102_400;

export const JSON_MEDIA_TYPE = 'application/json';

/** A body is only read when it claims to be JSON; everything else counts as an empty object. */
export type RequestBody = { mediaType: string; value: unknown };

const charsetOf = (contentType: string) =>
  /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';

const assertCharset = (charset: string) => {
  if (['utf-8', 'utf-16', 'utf-16le', 'utf-16be'].includes(charset)) return;
  throw new ContentTypeError(`Bodies in charset '${charset}' are not read here. Send utf-8.`);
};

const decode = (bytes: Buffer, charset: string) => {
  // Without a mark, a JSON text in UTF-16 shows its byte order by where the first zero stands.
  const isBigEndian = bytes[0] === 0xfe || bytes[0] === 0;
  const encoding = charset === 'utf-16' && isBigEndian ? 'utf-16be' : charset;
  return new TextDecoder(encoding).decode(bytes);
};

const parseJson = (text: string): unknown => {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body.
    throw BadDataError.of({ message: 'The request body is not well-formed JSON.', path: '/body' });
  }
};

/** Reads and parses a JSON body: bounded, decompressed, decoded. */
export const readBody = async (request: RestRequest): Promise<RequestBody> => {
  const mediaType = mediaTypeOf(request.headers);
  if (mediaType !== JSON_MEDIA_TYPE) return { mediaType, value: {} };

  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (bytes.length === 0) return { mediaType, value: {} };

  const charset = charsetOf(request.headers['content-type'] ?? '');
  assertCharset(charset);
  return { mediaType, value: parseJson(decode(bytes, charset)) };
};

export const readObject = ({ value }: RequestBody): JsonObject => {
  if (isObject(value)) return value;
  throw invalidValue('/body', 'must be an object', value);
};
