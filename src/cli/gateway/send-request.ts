import type { RunQuery } from '../../export/resolve-names.js';
import { firstErrorOf, GatewayError, unreachable } from './gateway-error.js';
import type { Gateway } from './open-gateway.js';

/** By default, gateways time out much earlier. */
const REQUEST_TIMEOUT_MS = 120_000;

export type GatewayRequest = {
  query: string;
  variables?: Record<string, unknown>;
  signal: AbortSignal;
  /** Larger responses are not read to the end. Default: no limit. */
  maxBytes?: number;
};

/** The response exceeds the caller's limit. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';
}

/** The token must not be sent to another server. */
export const assertNoRedirect = (url: string, response: Response): void => {
  if (response.status < 300 || response.status >= 400) return;
  const target = response.headers.get('location') ?? 'another address';
  throw new GatewayError(`${url} redirects to ${target}. Pass that address to --url.`);
};

export const postTo = async (
  gateway: Gateway,
  { query, variables = {} }: Pick<GatewayRequest, 'query' | 'variables'>,
  { accept, signal }: { accept: string; signal: AbortSignal },
): Promise<Response> => {
  const response = await gateway.fetch(gateway.url, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  assertNoRedirect(gateway.url, response);
  return response;
};

/** The error of a response without a result. */
export const failureOf = (url: string, { status }: Response, text: string): GatewayError => {
  const errors = errorsIn(text);
  const error = errors === null ? null : firstErrorOf(errors);
  const isTransient = status >= 500 || status === 429 || error?.isTransient === true;
  if (error) return new GatewayError(error.message, { code: error.code, isTransient });
  return new GatewayError(
    `${url} did not respond like a gateway (status ${status}). Check the address in --url, including the base path of the gateway.`,
    { isTransient },
  );
};

const parse = (text: string): { data?: unknown; errors?: unknown } | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
};

const errorsIn = (text: string): unknown[] | null => {
  const errors = parse(text)?.errors;
  return Array.isArray(errors) && errors.length > 0 ? errors : null;
};

const readBody = async (response: Response, maxBytes: number) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new ResponseTooLargeError();
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes: size };
};

/** Sends one request. Throws a GatewayError with a message for the user if there is no result. */
export const sendRequest = async <Data>(
  gateway: Gateway,
  { signal, maxBytes = Number.POSITIVE_INFINITY, ...request }: GatewayRequest,
): Promise<{ data: Data; bytes: number }> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  try {
    const response = await postTo(gateway, request, {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      signal: limited,
    });
    const { text, bytes } = await readBody(response, maxBytes);
    const result = parse(text);
    if (!result?.data || result.errors) throw failureOf(gateway.url, response, text);
    return { data: result.data as Data, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GatewayError || error instanceof ResponseTooLargeError) throw error;
    throw unreachable(gateway.url, error);
  }
};

/** Sends queries to a gateway and returns their data. */
export const createGatewayQuery =
  (gateway: Gateway, signal: AbortSignal): RunQuery =>
  async <Data>(query: string, variables = {}) =>
    (await sendRequest<Data>(gateway, { query, variables, signal })).data;
