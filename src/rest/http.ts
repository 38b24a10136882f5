import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../auth/caller.js';
import { OnDemand } from '../domain/on-demand.js';
import { currentWork } from '../domain/work.js';
import type { Call } from '../http/call.js';
import { isRead } from '../http/is-read.js';
import { writeJson } from '../http/write-json.js';
import { writeJsonInSlices } from '../http/write-json-in-slices.js';

export type RestRequest = {
  method: string;
  /** Raw path without base path and query string. Null if it is outside of the base path. */
  path: string | null;
  /** Raw query string without `?`. */
  search: string;
  headers: IncomingHttpHeaders;
  /** The body as received, still compressed. */
  stream: Readable;
  caller: Caller;
  call: Call;
  /** Cancels the work for the request. */
  cancel: () => void;
};

export type RestResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer | null;
};

/** Results read from fewer characters are serialized at once. */
const LARGE_SIZE = 500_000;
const MAX_CACHED_BYTES = 32_000_000;

const write = async (value: object): Promise<Buffer> => {
  const size = currentWork()?.usage.size ?? 0;
  // With other work of the event loop in between.
  const json = size < LARGE_SIZE ? writeJson(value) : await writeJsonInSlices(value);
  return Buffer.from(json);
};

/** Serializes values. What is built on demand is serialized once per content. */
export const createBodyWriter = (maxCachedBytes = MAX_CACHED_BYTES) => {
  const bodies = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: (body, key) => body.length + key.length,
  });

  return async (value: object): Promise<Buffer> => {
    if (!(value instanceof OnDemand)) return write(value);
    const known = bodies.get(value.contentKey);
    if (known) return known;
    const body = await write(await value.build());
    bodies.set(value.contentKey, body);
    return body;
  };
};

export const jsonResponse = (
  status: number,
  body: Buffer,
  headers: Record<string, string> = {},
): RestResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body,
});

// Many responses may share one body.
const etags = new WeakMap<Buffer, string>();

// Weak, because the same response may be sent compressed or not.
const etagOf = (body: Buffer): string => {
  const etag =
    etags.get(body) ??
    `W/"${body.length.toString(16)}-${createHash('sha1').update(body).digest('base64')}"`;
  etags.set(body, etag);
  return etag;
};

const listOf = (header: string | undefined) =>
  (header ?? '').split(',').map((entry) => entry.trim());

const opaque = (tag: string) => tag.replace(/^W\//, '');

const isNotModified = ({ headers }: RestRequest, etag: string) => {
  if (listOf(headers['cache-control']).includes('no-cache')) return false;
  return listOf(headers['if-none-match']).some(
    (tag) => tag === '*' || opaque(tag) === opaque(etag),
  );
};

/** Adds the ETag, returns 304 if the client has the body already, and drops the body for HEAD. */
export const finishResponse = (request: RestRequest, response: RestResponse): RestResponse => {
  if (response.body === null) return response;

  const etag = etagOf(response.body);
  // Set here because a response without a body has the same headers as the full one.
  const headers: Record<string, string> = { ...response.headers, etag, vary: 'Accept-Encoding' };

  if (isRead(request) && response.status === 200 && isNotModified(request, etag)) {
    const { 'content-type': _, ...rest } = headers;
    return { status: 304, headers: rest, body: null };
  }
  if (request.method === 'HEAD') {
    const length = String(response.body.length);
    return { ...response, headers: { ...headers, 'content-length': length }, body: null };
  }
  return { ...response, headers };
};
