import { ADMIN_TOKEN } from '../original.js';

export type ApiAnswer = { status: number; json: unknown; headers: Headers };

export type CallOptions = {
  /** Value of the Authorization header; the admin token when left out, none when a cookie is given. */
  authorization?: string;
  cookie?: string;
  /** Statuses outside 200 to 299 that are fine too. */
  tolerates?: readonly number[];
};

/** The original's own admin API; an answer that is no success is an error. */
export type AdminApi = {
  get(path: string, options?: CallOptions): Promise<ApiAnswer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<ApiAnswer>;
  put(path: string, body: unknown, options?: CallOptions): Promise<ApiAnswer>;
  patch(path: string, body: unknown, options?: CallOptions): Promise<ApiAnswer>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<ApiAnswer>;
};

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const createAdminApi = (url: string): AdminApi => {
  const call = async (
    method: string,
    path: string,
    body: unknown,
    { authorization, cookie, tolerates = [] }: CallOptions = {},
  ): Promise<ApiAnswer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === undefined ? { authorization: authorization ?? ADMIN_TOKEN } : { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok && !tolerates.includes(answer.status)) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${text.slice(0, 1_000)}`);
    }
    return { status: answer.status, json: readJson(text), headers: answer.headers };
  };

  return {
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body = {}, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    patch: (path, body, options) => call('PATCH', path, body, options),
    delete: (path, body, options) => call('DELETE', path, body, options),
  };
};

/** A field of an answer that must be there. */
export const fieldOf = (answer: ApiAnswer, name: string): unknown => {
  const { json } = answer;
  if (typeof json !== 'object' || json === null || !(name in json)) {
    throw new Error(`an answer lacks '${name}': ${JSON.stringify(json)}`);
  }
  return Reflect.get(json, name);
};

export const numberOf = (answer: ApiAnswer, name: string): number => Number(fieldOf(answer, name));
export const textOf = (answer: ApiAnswer, name: string): string => String(fieldOf(answer, name));
