import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { namesType } from '../http/accepted-types.js';
import type { HttpResponse } from '../http/send.js';
import type { Html } from './html.js';

/** Content Security Policy directives. Everything else is blocked. */
export type Policy = Readonly<Record<string, string>>;

const BASE: Policy = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const writePolicy = (policy: Policy): string =>
  Object.entries({ ...BASE, ...policy })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ');

/** Whether the client is a browser that accepts HTML. */
export const takesHtml = ({ headers }: IncomingMessage): boolean =>
  namesType(headers.accept, 'text/html');

// Weak, because the same page may be sent compressed or not.
export const etagOf = (body: string | Buffer): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

export const isNotModified = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim() === etag);

/** Headers of every page: a strict policy, and no framing. */
export const pageHeaders = (policy: Policy): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': writePolicy(policy),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
});

export type PageOptions = {
  status?: number;
  policy?: Policy;
  /** Pages that change with every request are not cached at all. */
  isLive?: boolean;
};

/** A page response with a strict policy, no framing, and 304 if the client has it already. */
export const pageResponse = (
  request: IncomingMessage,
  page: Html,
  { status = 200, policy = {}, isLive = false }: PageOptions = {},
): HttpResponse => {
  const etag = etagOf(page.markup);
  const headers: Record<string, string> = {
    ...pageHeaders(policy),
    'cache-control': isLive ? 'no-store' : 'no-cache',
    vary: 'Accept, Accept-Encoding',
    ...(!isLive && { etag }),
  };
  if (status === 200 && !isLive && isNotModified(request, etag)) {
    return { status: 304, headers, body: null };
  }
  return { status, headers, body: page.markup };
};
