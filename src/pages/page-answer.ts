import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { namesType } from '../http/accepted-types.js';
import type { Answer } from '../http/send.js';
import type { Html } from './html.js';

/** What a page may load; nothing, unless it is said here. */
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

/** Whether a caller is a browser that wants something to look at. */
export const takesHtml = ({ headers }: IncomingMessage): boolean =>
  namesType(headers.accept, 'text/html');

// Weak, because the same page may travel compressed or not.
const etagOf = (body: string): string =>
  `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

const isKnownToCaller = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((tag) => tag.trim() === etag);

export type PageOptions = {
  status?: number;
  policy?: Policy;
  /** Pages that differ from one moment to the next are not kept at all. */
  isLive?: boolean;
};

/** A page as an answer: under a strict policy, in nobody's frame, and not sent twice to who has it already. */
export const pageAnswer = (
  request: IncomingMessage,
  page: Html,
  { status = 200, policy = {}, isLive = false }: PageOptions = {},
): Answer => {
  const etag = etagOf(page.markup);
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': writePolicy(policy),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': isLive ? 'no-store' : 'no-cache',
    vary: 'Accept, Accept-Encoding',
    ...(!isLive && { etag }),
  };
  if (status === 200 && !isLive && isKnownToCaller(request, etag)) {
    return { status: 304, headers, body: null };
  }
  return { status, headers, body: page.markup };
};
