import type { HttpResponse } from './http.js';
import type { Operation } from './request.js';

/**
 * A response in comparable form: without values that are new in every response (error IDs, the current time) and with a
 * placeholder for texts that the gateway words itself.
 */
export type View = {
  status: number;
  contentType: string | undefined;
  hasEtag: boolean;
  body: unknown;
};

export type Body = Record<string, unknown>;

export const TEXT = '<text>';
export const NOW = '<now>';
const ID = '<id>';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOW_TOLERANCE_MS = 60_000;

export const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? TEXT : value);

export const asNow = (value: unknown): unknown => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time - Date.now()) < NOW_TOLERANCE_MS ? NOW : value;
};

/** Replaces the values of existing keys. */
const replace = (body: Body, replacements: Record<string, (value: unknown) => unknown>): Body =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, replacements[key]?.(value) ?? value]),
  );

const viewDetail = (detail: unknown) => {
  if (!isBody(detail)) return detail;
  const { path } = detail;
  // Normalizes key order, which depends on the check that failed.
  return { message: asText(detail['message']), ...(path !== undefined && { path }) };
};

const viewError = (body: Body): Body =>
  replace(body, {
    id: (id) => (typeof id === 'string' && UUID.test(id) ? ID : id),
    message: asText,
    details: (details) => (Array.isArray(details) ? details.map(viewDetail) : details),
  });

const viewEvent = (event: unknown) =>
  isBody(event) ? replace(event, { label: asText, summary: asText }) : event;

const VIEW_SUCCESS: Record<Operation, (body: Body) => Body> = {
  'search events': (body) =>
    replace(body, { events: (events) => (Array.isArray(events) ? events.map(viewEvent) : events) }),
  // A project that was never updated reports the current time.
  'health report': (body) => replace(body, { updatedAt: asNow }),
  'integration events': (body) => body,
  clone: (body) => replace(body, { createdAt: asNow }),
};

const messages = new WeakMap<object, string>();

/** The message of an error. Kept separately, because it is not compared. */
export const messageOf = ({ body }: View): string =>
  isBody(body) ? (messages.get(body) ?? '') : '';

export const toView = (
  operation: Operation,
  { status, headers, text, json }: HttpResponse,
): View => {
  const isError = status >= 400;
  const body = isBody(json)
    ? isError
      ? viewError(json)
      : VIEW_SUCCESS[operation](json)
    : (json ?? text);
  if (isError && isBody(json) && isBody(body)) messages.set(body, String(json['message']));
  return {
    status,
    contentType: headers['content-type'],
    hasEtag: headers.etag !== undefined,
    body,
  };
};

/** The error name of the body; undefined if it has none. */
export const errorName = ({ body }: View): unknown => (isBody(body) ? body['name'] : undefined);

export const isError = (view: View, status: number, name: string): boolean =>
  view.status === status && errorName(view) === name;
