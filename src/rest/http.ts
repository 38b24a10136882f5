import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { isRead } from '../http/is-read.js';
import { writeJson } from '../http/write-json.js';

export type RestRequest = {
  method: string;
  /** Raw path without the base path and without the query string; null for one outside of the base path. */
  path: string | null;
  /** Raw query string without `?`. */
  search: string;
  headers: IncomingHttpHeaders;
  /** The body as it arrived, still compressed. */
  stream: Readable;
  ip: string | null;
};

export type RestResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Buffer | null;
};

const bodies = new WeakMap<object, Buffer>();

/** One value may be answered again and again; it is written once. */
const bodyOf = (value: object): Buffer => {
  const body = bodies.get(value) ?? Buffer.from(writeJson(value));
  bodies.set(value, body);
  return body;
};

export const jsonResponse = (
  status: number,
  value: object,
  headers: Record<string, string> = {},
): RestResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: bodyOf(value),
});

// One body may be the answer to many callers at once.
const etags = new WeakMap<Buffer, string>();

// Weak, because the same answer may travel compressed or not.
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

const isKnownToCaller = ({ headers }: RestRequest, etag: string) => {
  if (listOf(headers['cache-control']).includes('no-cache')) return false;
  return listOf(headers['if-none-match']).some(
    (tag) => tag === '*' || opaque(tag) === opaque(etag),
  );
};

/** Adds the ETag, spares the caller a body he already has, and HEAD any body. */
export const conclude = (request: RestRequest, response: RestResponse): RestResponse => {
  if (response.body === null) return response;

  const etag = etagOf(response.body);
  // Said here because an answer without a body has the same headers as the one it stands for.
  const headers: Record<string, string> = { ...response.headers, etag, vary: 'Accept-Encoding' };

  if (isRead(request) && response.status === 200 && isKnownToCaller(request, etag)) {
    const { 'content-type': _, ...rest } = headers;
    return { status: 304, headers: rest, body: null };
  }
  if (request.method === 'HEAD') {
    const length = String(response.body.length);
    return { ...response, headers: { ...headers, 'content-length': length }, body: null };
  }
  return { ...response, headers };
};
