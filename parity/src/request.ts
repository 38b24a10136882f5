import type { WireRequest } from './http.js';
import type { FeatureByHand } from './world/features.js';
import type { World } from './world/world.js';

export const OPERATIONS = [
  'search events',
  'health report',
  'integration events',
  'clone',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One request of the comparison, before the caller's name has become a token. */
export type ParityRequest = {
  operation: Operation;
  /** Name of a caller of the world; `adminToken` when left out. */
  caller?: string;
  /** The caller whose sign-in the cookie among the headers is. */
  signedIn?: string;
  method?: string;
  /** Path and query string, sent as they stand. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with its content type unless `headers` name one. */
  json?: unknown;
  /** Sent as it is, without a content type of its own. */
  body?: string | Buffer;
  /** What a clone is about, where the path names a source and the body a name. */
  clone?: CloneFacts;
  /** A source put into both databases for this one request. */
  source?: FeatureByHand;
  /** Keeps a successful clone in both databases; otherwise it is undone. */
  keep?: boolean;
};

export type CloneFacts = { project: string; source: string; name: string };

const encode = encodeURIComponent;

export const clonePath = (project: string, source: string): string =>
  `/api/admin/projects/${encode(project)}/features/${encode(source)}/clone`;

export const toWire = (
  request: ParityRequest,
  { callers }: Pick<World, 'callers'>,
): WireRequest => {
  const { caller = 'adminToken', method = 'GET', path, json } = request;
  const token = callers[caller];
  if (token === undefined) throw new Error(`there is no caller '${caller}'`);
  const body = json === undefined ? request.body : JSON.stringify(json);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return {
    method,
    path,
    headers: {
      ...(token !== null && { authorization: token }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
      ...(bytes && { 'content-length': String(bytes.length) }),
    },
    ...(bytes && { body: bytes }),
  };
};
