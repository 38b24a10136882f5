import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export type Transport = 'GraphQL' | 'REST';

export type CloneRequest = { source: string; name: string; authorization: string };

export type CloneResponse = {
  isCreated: boolean;
  /** HTTP status. Over GraphQL this is the status of the GraphQL response, not the one REST would return. */
  status: number;
  /** Name of the error; empty if the feature was cloned. */
  error: string;
  /** The rest of the response, for reports. */
  text: string;
  /** Times at which the request was sent and the response arrived. */
  sentAt: number;
  respondedAt: number;
};

const PROJECT = 'default';
const TIMEOUT_MS = 60_000;

const CLONE = `mutation Clone($input: CloneFeatureInput!) {
  cloneFeature(input: $input) {
    __typename
    ... on CloneFeaturePayload { feature { name projectId } }
    ... on Error { name message }
  }
}`;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of keys; undefined if there is none. */
export const at = (value: unknown, ...keys: (string | number)[]): unknown =>
  keys.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined,
    value,
  );

export const listAt = (value: unknown, ...keys: (string | number)[]): unknown[] => {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export type HttpResponse = {
  status: number;
  text: string;
  json: unknown;
  headers: IncomingHttpHeaders;
};

export type RequestOptions = {
  method?: string;
  authorization?: string;
  cookie?: string;
  /** Sent as JSON. */
  body?: unknown;
  etag?: string;
};

const headersOf = ({ authorization, cookie, body, etag }: RequestOptions): OutgoingHttpHeaders => ({
  ...(authorization !== undefined && { authorization }),
  ...(cookie !== undefined && { cookie }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(etag !== undefined && { 'if-none-match': etag }),
});

/** Uses a new connection: a kept-alive one may belong to a server that was killed. */
export const sendRequest = (url: string, call: RequestOptions): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', body } = call;
    const options = { agent: false, method, headers: headersOf(call), timeout: TIMEOUT_MS };
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, text, json: parse(text), headers });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no response from ${url}`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

export const sendGraphql = async (
  url: string,
  authorization: string,
  query: string,
  variables: object,
): Promise<unknown> => {
  const response = await sendRequest(`${url}/graphql`, {
    authorization,
    method: 'POST',
    body: { query, variables },
  });
  if (at(response.json, 'data') === undefined || at(response.json, 'errors') !== undefined) {
    throw new Error(`a query returned ${response.status}: ${response.text.slice(0, 500)}`);
  }
  return at(response.json, 'data');
};

const timed = async (
  work: () => Promise<Omit<CloneResponse, 'sentAt' | 'respondedAt'>>,
): Promise<CloneResponse> => {
  const sentAt = Date.now();
  const response = await work();
  return { ...response, sentAt, respondedAt: Date.now() };
};

/** Over REST, at the gateway or upstream: the path is the same. */
export const cloneByRest = (
  url: string,
  { source, name, authorization }: CloneRequest,
): Promise<CloneResponse> =>
  timed(async () => {
    const path = `/api/admin/projects/${PROJECT}/features/${encodeURIComponent(source)}/clone`;
    const body = { name };
    const { status, text, json } = await sendRequest(`${url}${path}`, {
      authorization,
      method: 'POST',
      body,
    });
    const isCreated = status < 300;
    return { isCreated, status, error: isCreated ? '' : String(at(json, 'name')), text };
  });

export const cloneByGraphql = (
  url: string,
  { source, name, authorization }: CloneRequest,
): Promise<CloneResponse> =>
  timed(async () => {
    const variables = { input: { featureName: source, newName: name, targetProjectId: PROJECT } };
    const { status, text, json } = await sendRequest(`${url}/graphql`, {
      authorization,
      method: 'POST',
      body: { query: CLONE, variables },
    });
    const result = at(json, 'data', 'cloneFeature');
    const isCreated = at(result, '__typename') === 'CloneFeaturePayload';
    const error =
      at(result, 'name') ?? at(json, 'errors', 0, 'extensions', 'code') ?? 'no error name';
    return { isCreated, status, error: isCreated ? '' : String(error), text };
  });

export const CLONE_BY: Record<Transport, typeof cloneByRest> = {
  GraphQL: cloneByGraphql,
  REST: cloneByRest,
};

export const TRANSPORTS: readonly Transport[] = ['GraphQL', 'REST'];
