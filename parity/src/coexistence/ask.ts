import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export type Transport = 'GraphQL' | 'REST';

export type CloneRequest = { source: string; name: string; authorization: string };

export type CloneAnswer = {
  isMade: boolean;
  /** HTTP status; over GraphQL that of the same outcome over REST is not known, so its own. */
  status: number;
  /** Kind of refusal; empty when the copy was made. */
  error: string;
  /** The rest of what was answered, for a report. */
  text: string;
  /** When the request was sent and the answer there. */
  askedAt: number;
  answeredAt: number;
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

/** What lies at the end of a path of keys; undefined when it leads nowhere. */
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

export type Answer = { status: number; text: string; json: unknown; headers: IncomingHttpHeaders };

export type Question = {
  method?: string;
  authorization?: string;
  cookie?: string;
  /** Sent as JSON. */
  body?: unknown;
  etag?: string;
};

const headersOf = ({ authorization, cookie, body, etag }: Question): OutgoingHttpHeaders => ({
  ...(authorization !== undefined && { authorization }),
  ...(cookie !== undefined && { cookie }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(etag !== undefined && { 'if-none-match': etag }),
});

/** Asks over a connection of its own: one kept open may lead to a server that has been killed since. */
export const ask = (url: string, question: Question): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', body } = question;
    const options = { agent: false, method, headers: headersOf(question), timeout: TIMEOUT_MS };
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
    sent.on('timeout', () => sent.destroy(new Error(`no answer from ${url}`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

export const askGraphql = async (
  url: string,
  authorization: string,
  query: string,
  variables: object,
): Promise<unknown> => {
  const answer = await ask(`${url}/graphql`, {
    authorization,
    method: 'POST',
    body: { query, variables },
  });
  if (at(answer.json, 'data') === undefined || at(answer.json, 'errors') !== undefined) {
    throw new Error(`a query was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  }
  return at(answer.json, 'data');
};

const timed = async (
  work: () => Promise<Omit<CloneAnswer, 'askedAt' | 'answeredAt'>>,
): Promise<CloneAnswer> => {
  const askedAt = Date.now();
  const answer = await work();
  return { ...answer, askedAt, answeredAt: Date.now() };
};

/** Over REST, of the gateway or of the original: both have the same path. */
export const cloneByRest = (
  url: string,
  { source, name, authorization }: CloneRequest,
): Promise<CloneAnswer> =>
  timed(async () => {
    const path = `/api/admin/projects/${PROJECT}/features/${encodeURIComponent(source)}/clone`;
    const body = { name };
    const { status, text, json } = await ask(`${url}${path}`, {
      authorization,
      method: 'POST',
      body,
    });
    const isMade = status < 300;
    return { isMade, status, error: isMade ? '' : String(at(json, 'name')), text };
  });

export const cloneByGraphql = (
  url: string,
  { source, name, authorization }: CloneRequest,
): Promise<CloneAnswer> =>
  timed(async () => {
    const variables = { input: { feature: source, name, targetProject: PROJECT } };
    const { status, text, json } = await ask(`${url}/graphql`, {
      authorization,
      method: 'POST',
      body: { query: CLONE, variables },
    });
    const result = at(json, 'data', 'cloneFeature');
    const isMade = at(result, '__typename') === 'CloneFeaturePayload';
    const error =
      at(result, 'name') ?? at(json, 'errors', 0, 'extensions', 'code') ?? 'no error named';
    return { isMade, status, error: isMade ? '' : String(error), text };
  });

export const CLONE_BY: Record<Transport, typeof cloneByRest> = {
  GraphQL: cloneByGraphql,
  REST: cloneByRest,
};

export const TRANSPORTS: readonly Transport[] = ['GraphQL', 'REST'];
