import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export type Recorded = {
  method: string;
  /** Path and query as they arrived. */
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
};

export type RecordingServer = {
  port: number;
  /** Requests so far. */
  requests: readonly Recorded[];
  close(): Promise<void>;
};

/** Cookies that Unleash sets when a user signs in, and another one. */
export const SET_COOKIES = [
  'unleash-session=s%3Aabc.def; Path=/; Expires=Wed, 18 Nov 2026 00:00:00 GMT; HttpOnly; SameSite=Lax',
  'other=1; Path=/flags',
];

/** An upstream that records every request and returns its name. */
export const startRecordingServer = async (name: string): Promise<RecordingServer> => {
  const requests: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: target = '', headers } = request;
    requests.push({ method, target, headers, body: await text(request) });
    response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': SET_COOKIES }).end(name);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
