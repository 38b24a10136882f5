import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

export type RawResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A request with exactly these headers and this path: nothing is added, corrected or decoded. */
export const rawRequest = async (
  base: string,
  options: {
    path: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string | Buffer;
  },
): Promise<RawResponse> => {
  const { hostname, port } = new URL(base);
  const outgoing = request({
    hostname,
    port,
    path: options.path,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
    agent: false,
  });
  outgoing.end(options.body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
};
