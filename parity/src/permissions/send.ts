import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpResponse, send, type WireRequest } from '../http.js';
import { type Operation, pathOf } from './operations.js';
import type { Caller, Credential } from './world.js';

/** Signs the session cookies of all compared servers. */
export const SESSION_SECRET = 'a-secret-of-the-permissions-part';

/** The decision of a server, without the wording. */
export type Decision = {
  outcome: 'allowed' | 'unauthenticated' | 'forbidden' | 'not found' | `${number} ${string}`;
  /** The permission that the error names, with its environment if the error names one. */
  missing?: string;
  /** IDs of the returned events or deliveries. */
  ids?: readonly number[];
  total?: number;
  /** Status and the start of the body, for reports. */
  text: string;
};

const SHOWN = 300;

const signatureOf = (sid: string, secret: string) =>
  createHmac('sha256', secret).update(sid).digest('base64').replace(/=+$/, '');

export const headersOf = (credential: Credential): Record<string, string> => {
  if (credential.kind === 'none') return {};
  if (credential.kind === 'unknown') return { authorization: credential.header };
  if (credential.kind !== 'session') return { authorization: credential.secret };
  const { sid, isSigned } = credential;
  const signature = signatureOf(sid, isSigned ? SESSION_SECRET : 'another-secret');
  return { cookie: `unleash-session=${encodeURIComponent(`s:${sid}.${signature}`)}` };
};

export const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const OUTCOMES: Readonly<Record<number, Decision['outcome']>> = {
  200: 'allowed',
  201: 'allowed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not found',
};

/** Parses messages of both Unleash and the gateway. */
const environmentIn = (message: string): string | undefined =>
  /in the "([^"]+)" environment/.exec(message)?.[1] ?? /environment '([^']+)'/.exec(message)?.[1];

/** The permission, with the environment that the error message names. */
export const missingIn = (permission: string, message: string): string => {
  const environment = environmentIn(message);
  return environment === undefined ? permission : `${permission} in ${environment}`;
};

/** Older versions list the permission, newer ones name it only in the message. Both name the environment there. */
const missingOf = (json: unknown): string | undefined => {
  const message = String(at(json, 'message'));
  const listed = at(json, 'permissions');
  const permission = Array.isArray(listed)
    ? String(listed[0])
    : /the "([A-Z_]+)" permission/.exec(message)?.[1];
  return permission === undefined ? undefined : missingIn(permission, message);
};

/** IDs of a list of objects, sorted. */
export const idsOf = (list: unknown): number[] | undefined =>
  Array.isArray(list)
    ? list.map((item) => Number(at(item, 'id'))).sort((a, b) => a - b)
    : undefined;

/** The permission that an API token lacks is not compared: only its type matters. */
const toDecision = ({ status, text, json }: HttpResponse, isUser: boolean): Decision => {
  const outcome = OUTCOMES[status] ?? (`${status} ${at(json, 'name')}` as const);
  const response = { text: `${status} ${text.slice(0, SHOWN)}` };
  if (outcome === 'forbidden') {
    const missing = isUser ? missingOf(json) : undefined;
    return { outcome, ...(missing !== undefined && { missing }), ...response };
  }
  const ids =
    outcome === 'allowed' ? idsOf(at(json, 'events') ?? at(json, 'integrationEvents')) : undefined;
  const total = at(json, 'total');
  return {
    outcome,
    ...(ids && { ids }),
    ...(outcome === 'allowed' && typeof total === 'number' && { total }),
    ...response,
  };
};

const OVERLOADED = /"OverloadedError"/;
const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** Retries requests that an overloaded gateway rejects: overload is no permission decision. */
export const sendWithRetries = async (url: string, wire: WireRequest): Promise<HttpResponse> => {
  for (let attempt = 1; ; attempt++) {
    const response = await send(url, wire);
    if (!OVERLOADED.test(response.text) || attempt === ATTEMPTS) return response;
    await delay(PAUSE_MS);
  }
};

/** Runs an operation as a caller. A clone gets the given name. */
export const sendRequest = async (
  url: string,
  caller: Caller,
  operation: Operation,
  name = '',
): Promise<Decision> => {
  const headers = headersOf(caller.credential);
  const path = pathOf(operation);
  const isUser = caller.user !== null;
  if (operation.kind !== 'clone') {
    return toDecision(await sendWithRetries(url, { method: 'GET', path, headers }), isUser);
  }
  const body = Buffer.from(JSON.stringify({ name }));
  const withBody = {
    ...headers,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  const wire = { method: 'POST', path, headers: withBody, body };
  return toDecision(await sendWithRetries(url, wire), isUser);
};
