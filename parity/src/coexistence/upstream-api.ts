import { ADMIN_TOKEN } from '../upstream.js';
import { type HttpResponse, sendRequest } from './requests.js';

/** Upstream's admin API as an administrator. Throws on error responses. */
export type UpstreamApi = (
  method: string,
  path: string,
  body?: unknown,
  cookie?: string,
) => Promise<HttpResponse>;

export const createUpstreamApi =
  (url: string): UpstreamApi =>
  async (method, path, body, cookie) => {
    const response = await sendRequest(`${url}${path}`, {
      method,
      ...(cookie === undefined ? { authorization: ADMIN_TOKEN } : { cookie }),
      ...(body !== undefined && { body }),
    });
    if (response.status < 300) return response;
    throw new Error(
      `${method} ${path} returned ${response.status}: ${response.text.slice(0, 500)}`,
    );
  };
