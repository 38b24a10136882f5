import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { BadDataError, ContentTypeError, PayloadTooLargeError } from '../domain/errors.js';

const DECOMPRESS = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
]);

const tooLarge = (limit: number) =>
  new PayloadTooLargeError(`A request body may hold at most ${limit} bytes.`);

/** The rest still has to leave the connection, or the next request on it would wait for ever. */
const discard = (stream: Readable) => {
  stream.on('error', () => {});
  stream.resume();
};

const readRaw = async (stream: Readable, most: number, limit: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > most) break;
    }
  } catch {
    throw new BadDataError('The request body broke off before its end.');
  }
  if (size > most) {
    discard(stream);
    throw tooLarge(limit);
  }
  return Buffer.concat(chunks);
};

const decompress = async (bytes: Buffer, encoding: string, limit: number): Promise<Buffer> => {
  if (encoding === 'identity' || bytes.length === 0) return bytes;

  const run = DECOMPRESS.get(encoding);
  if (!run) {
    throw new ContentTypeError(
      `Bodies with content encoding '${encoding}' are not read here. Send gzip, deflate or none.`,
    );
  }
  try {
    return await run(bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new BadDataError(`The request body is not what its content encoding '${encoding}' says.`);
  }
};

/** The bytes of a request body, decompressed, and never more than the limit. */
export const readBytes = async (
  { headers, stream }: { headers: IncomingHttpHeaders; stream: Readable },
  limit: number,
): Promise<Buffer> => {
  const encoding = (headers['content-encoding'] || 'identity').toLowerCase();
  // Content that does not shrink grows a little under compression.
  const most = encoding === 'identity' ? limit : 2 * limit;
  if (Number(headers['content-length']) > most) {
    discard(stream);
    throw tooLarge(limit);
  }
  return decompress(await readRaw(stream, most, limit), encoding, limit);
};

export const mediaTypeOf = (headers: IncomingHttpHeaders): string =>
  ((headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();
