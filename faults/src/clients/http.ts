import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';

export type Call = {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
};

export type HttpResponse = { status: number; headers: IncomingHttpHeaders; text: string };

const agents = new Map<string, Agent>();

/** Keeps connections alive, like real clients. */
const agentOf = (url: string): Agent => {
  const agent = agents.get(url) ?? new Agent({ keepAlive: true, maxSockets: 500 });
  agents.set(url, agent);
  return agent;
};

/** Sends a request; rejects if the connection fails or times out. */
export const send = (
  url: string,
  { path, method = 'GET', headers = {}, body, timeoutMs = 60_000 }: Call,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const outgoing = request(
      { hostname, port, path, method, headers, agent: agentOf(url) },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('aborted', () => fail(new Error('aborted')));
        incoming.on('end', () => {
          clearTimeout(timer);
          const { statusCode = 0, headers: received } = incoming;
          const body = Buffer.concat(chunks);
          const isCompressed = received['content-encoding'] === 'gzip';
          resolve({
            status: statusCode,
            headers: received,
            text: (isCompressed ? gunzipSync(body) : body).toString('utf8'),
          });
        });
      },
    );
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(() => outgoing.destroy(new Error('timeout')), timeoutMs);
    outgoing.on('error', fail);
    outgoing.end(body);
  });

export type GraphQLCall = {
  token?: string | undefined;
  variables?: Record<string, unknown>;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

export const graphqlCall = (
  query: string,
  { token, variables, headers = {}, timeoutMs }: GraphQLCall = {},
): Call => ({
  path: '/graphql',
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: token }),
    ...headers,
  },
  body: JSON.stringify({ query, ...(variables && { variables }) }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

export const sendGraphQL = (
  url: string,
  query: string,
  call: GraphQLCall = {},
): Promise<HttpResponse> => send(url, graphqlCall(query, call));

/** GraphQL may report these with status 200. */
const STATUS: Readonly<Record<string, string>> = { OVERLOADED: '503', TIMEOUT: '504' };

const codeOf = (text: string): string => {
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 80);
  return STATUS[code] ?? `error ${code}`;
};

/** `ok`, or the status or error code of a failure. With `expected`, also `wrong answer`. */
export const outcomeOf = (response: HttpResponse, expected?: string): string => {
  if (response.status !== 200) return `${response.status}`;
  if (/"errors":\[\{"message"/.test(response.text)) return codeOf(response.text);
  return expected !== undefined && response.text !== expected ? 'wrong answer' : 'ok';
};
