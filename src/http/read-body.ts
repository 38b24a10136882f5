import type { IncomingHttpHeaders } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { BadDataError, ContentTypeError, PayloadTooLargeError } from '../domain/errors.js';
import { threadJobs } from './thread-jobs.js';

const DECOMPRESS = new Map([
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
]);

const tooLarge = (limit: number) =>
  new PayloadTooLargeError(`The request body exceeds the limit of ${limit} bytes.`);

/** Drains the rest of the body, or the next request on the connection would wait forever. */
const discard = (stream: Readable) => {
  stream.on('error', () => {});
  stream.resume();
};

/** Bodies of these sizes arrive in hundreds of pieces; one sent byte by byte keeps the event loop busy. */
const MAX_PIECES = 4_000;

/** Copies each chunk: a one-byte chunk would keep its whole socket buffer in memory. */
const createCollector = () => {
  let buffer = Buffer.alloc(0);
  let size = 0;
  return {
    add: (chunk: Uint8Array) => {
      if (size + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size + chunk.length, 2 * buffer.length));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      buffer.set(chunk, size);
      size += chunk.length;
    },
    bytes: () => buffer.subarray(0, size),
  };
};

/** Listens to `data`: an iterator would join chunks that wait for it, and could not count them. */
const readRaw = (stream: Readable, max: number, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const collected = createCollector();
    let pieces = 0;
    let size = 0;
    const forget = finished(stream, { writable: false }, (error) => {
      leave();
      if (error) reject(new BadDataError('The request body is incomplete.'));
      else resolve(collected.bytes());
    });
    const leave = (): void => {
      forget();
      stream.off('data', add);
    };
    const add = (chunk: Uint8Array): void => {
      pieces += 1;
      size += chunk.length;
      if (size > max) {
        leave();
        discard(stream);
        reject(tooLarge(limit));
      } else if (pieces > MAX_PIECES) {
        leave();
        // The rest is not read: the connection is closed.
        stream.on('error', () => {}).pause();
        reject(new BadDataError(`The request body has more than ${MAX_PIECES} chunks.`));
      } else collected.add(chunk);
    };
    stream.on('data', add);
  });

/** Incompressible content grows slightly under compression. */
const MAX_GROWTH = 1_024;

const decompress = async (
  bytes: Buffer,
  encoding: string,
  { limit, owner }: BodyLimits,
): Promise<Buffer> => {
  if (encoding === 'identity' || bytes.length === 0) return bytes;

  const run = DECOMPRESS.get(encoding);
  if (!run) {
    throw new ContentTypeError(
      `Content encoding '${encoding}' is not supported. Use gzip, deflate or none.`,
    );
  }
  try {
    return await threadJobs.run(owner, () => run(bytes, { maxOutputLength: limit }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new BadDataError(`The request body does not match its content encoding '${encoding}'.`);
  }
};

/** The most bytes of a body, and whose turn its decompression uses; null for a client without known credentials. */
export type BodyLimits = { limit: number; owner: string | null };

/** The decompressed bytes of a request body, never more than the limit. */
export const readBytes = async (
  { headers, stream }: { headers: IncomingHttpHeaders; stream: Readable },
  limits: BodyLimits,
): Promise<Buffer> => {
  const { limit } = limits;
  const encoding = (headers['content-encoding'] || 'identity').toLowerCase();
  const max = encoding === 'identity' ? limit : limit + MAX_GROWTH;
  if (Number(headers['content-length']) > max) {
    discard(stream);
    throw tooLarge(limit);
  }
  return decompress(await readRaw(stream, max, limit), encoding, limits);
};

export const mediaTypeOf = (headers: IncomingHttpHeaders): string =>
  ((headers['content-type'] ?? '').split(';', 1)[0] ?? '').trim().toLowerCase();

/** The length of a body before it is read. Without Content-Length, the limit. */
export const announcedLength = (headers: IncomingHttpHeaders, limit: number): number => {
  const length = Number(headers['content-length'] ?? 0) || 0;
  return headers['transfer-encoding'] === undefined ? Math.min(length, limit) : limit;
};
