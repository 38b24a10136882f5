import { createClient, NetworkError } from 'graphql-sse';
import type { LiveClient, LiveResult } from './live-client.js';
import { fromGraphqlError, LiveError } from './live-error.js';

type Headers = Record<string, string>;

type Options = {
  /** Address of the gateway, such as `https://flags.example.com/graphql`. */
  url: string;
  /** Headers of each attempt, such as `authorization`. A function can return a new token. */
  headers?: Headers | (() => Headers | Promise<Headers>);
  /** Default: the `fetch` of the environment. */
  fetch?: typeof fetch;
};

/** Statuses of an overloaded or restarting server. Others are answers about the request itself. */
const isTemporary = (status: number) => status >= 500 || [408, 425, 429].includes(status);

/** Errors arrive as JSON, or as the first message of an event stream. */
const readBody = async (response: Response): Promise<LiveResult> => {
  try {
    const text = await response.text();
    return JSON.parse(/^data: ?(\{.*)$/m.exec(text)?.[1] ?? text) as LiveResult;
  } catch {
    return {};
  }
};

const fromResponse = async (response: Response): Promise<LiveError> => {
  const { status } = response;
  const retryAfter = Number(response.headers.get('retry-after') ?? 0) || undefined;
  const details = { status, retryAfter, isTemporary: isTemporary(status) };
  const [error] = (await readBody(response)).errors ?? [];
  return error === undefined
    ? new LiveError(`The server returned status ${status}.`, details)
    : fromGraphqlError(error, details);
};

/** Live events over server-sent events, one HTTP connection for each subscription. */
export const sseClient = ({ url, headers, fetch }: Options): LiveClient => {
  const client = createClient({
    url,
    retryAttempts: 0,
    ...(headers !== undefined && { headers }),
    ...(fetch !== undefined && { fetchFn: fetch }),
  });
  return {
    subscribe: (request, sink) =>
      client.subscribe(
        request,
        {
          next: (result) => sink.next(result as LiveResult),
          complete: () => sink.complete(),
          error: (error) => {
            if (!(error instanceof NetworkError) || !error.response) return sink.error(error);
            fromResponse(error.response as unknown as Response).then(sink.error, sink.error);
          },
        },
        { connected: () => sink.open() },
      ),
  };
};
