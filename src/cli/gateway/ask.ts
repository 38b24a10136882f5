import { GatewayError, refusalOf, unreachable } from './gateway-error.js';
import type { Gateway } from './open-gateway.js';

/** Gateways give up on a request much earlier. */
const PATIENCE_MS = 120_000;

export type Question = {
  query: string;
  variables?: Record<string, unknown>;
  signal: AbortSignal;
  /** An answer of more bytes is not read to its end. Default: no limit. */
  mostBytes?: number;
};

/** The answer is longer than the caller can take. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

export const postTo = async (
  gateway: Gateway,
  { query, variables = {} }: Pick<Question, 'query' | 'variables'>,
  { accept, signal }: { accept: string; signal: AbortSignal },
): Promise<Response> => {
  const response = await gateway.fetch(gateway.url, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  if (response.status >= 300 && response.status < 400) {
    const target = response.headers.get('location') ?? 'another address';
    throw new GatewayError(`${gateway.url} sends callers on to ${target}. Give that to --url.`);
  }
  return response;
};

/** What an answer says that holds no result. */
export const failureOf = (url: string, { status }: Response, text: string): GatewayError => {
  const errors = errorsIn(text);
  const refusal = errors === null ? null : refusalOf(errors);
  const isPassing = status >= 500 || status === 429 || refusal?.isPassing === true;
  if (refusal) return new GatewayError(refusal.message, { code: refusal.code, isPassing });
  return new GatewayError(
    `${url} does not answer as a gateway does (status ${status}). Is it the right address?`,
    { isPassing },
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

const readBody = async (response: Response, mostBytes: number) => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new AnswerTooLargeError();
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes: size };
};

/** Asks a gateway once; throws a GatewayError that tells a person why there is no answer. */
export const ask = async <Data>(
  gateway: Gateway,
  { signal, mostBytes = Number.POSITIVE_INFINITY, ...question }: Question,
): Promise<{ data: Data; bytes: number }> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const response = await postTo(gateway, question, {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      signal: limited,
    });
    const { text, bytes } = await readBody(response, mostBytes);
    const answer = parse(text);
    if (!answer?.data || answer.errors) throw failureOf(gateway.url, response, text);
    return { data: answer.data as Data, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GatewayError || error instanceof AnswerTooLargeError) throw error;
    throw unreachable(gateway.url, error);
  }
};
