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

/** One request of the comparison, before the caller's name is replaced with a token. */
export type ParityRequest = {
  operation: Operation;
  /** Name of a caller of the world; `adminToken` when left out. */
  caller?: string;
  /** The caller that the session cookie in `headers` belongs to. */
  signedIn?: string;
  method?: string;
  /** Path and query string, sent unchanged. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with a JSON content type unless `headers` has one. */
  json?: unknown;
  /** Sent unchanged, without a default content type. */
  body?: string | Buffer;
  /** Facts of a clone, if the path has a source and the body a name. */
  clone?: CloneFacts;
  /** A source that is inserted into both databases for this request only. */
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
  if (token === undefined) throw new Error(`caller '${caller}' does not exist`);
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
