import { ADMIN_TOKEN } from '../upstream.js';

export type ApiResponse = { status: number; json: unknown; headers: Headers };

export type CallOptions = {
  /** Value of the Authorization header. Default: the admin token, or none if a cookie is given. */
  authorization?: string;
  cookie?: string;
  /** Accepted statuses outside 200 to 299. */
  tolerates?: readonly number[];
};

/** Upstream's admin API. Throws on error responses. */
export type AdminApi = {
  get(path: string, options?: CallOptions): Promise<ApiResponse>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
  put(path: string, body: unknown, options?: CallOptions): Promise<ApiResponse>;
  patch(path: string, body: unknown, options?: CallOptions): Promise<ApiResponse>;
  delete(path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>;
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
  ): Promise<ApiResponse> => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === undefined ? { authorization: authorization ?? ADMIN_TOKEN } : { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok && !tolerates.includes(response.status)) {
      throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 1_000)}`);
    }
    return { status: response.status, json: readJson(text), headers: response.headers };
  };

  return {
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body = {}, options) => call('POST', path, body, options),
    put: (path, body, options) => call('PUT', path, body, options),
    patch: (path, body, options) => call('PATCH', path, body, options),
    delete: (path, body, options) => call('DELETE', path, body, options),
  };
};

/** Returns a required field of a response. */
export const fieldOf = (response: ApiResponse, name: string): unknown => {
  const { json } = response;
  if (typeof json !== 'object' || json === null || !(name in json)) {
    throw new Error(`a response lacks '${name}': ${JSON.stringify(json)}`);
  }
  return Reflect.get(json, name);
};

export const numberOf = (response: ApiResponse, name: string): number =>
  Number(fieldOf(response, name));
export const textOf = (response: ApiResponse, name: string): string =>
  String(fieldOf(response, name));
