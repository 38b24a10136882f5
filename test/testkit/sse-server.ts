import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type SseCall = {
  query: string;
  variables: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  response: ServerResponse;
  /** Starts the stream. */
  open: () => void;
  send: (event: string, data: unknown) => void;
  /** Aborts the connection, as a crash would. */
  cut: () => void;
};

/** Implements the graphql-sse protocol in distinct connections mode; the test sends the messages. */
export const startSseServer = async (onCall: (call: SseCall, number: number) => unknown) => {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request));
    await onCall(
      {
        query,
        variables,
        headers: request.headers,
        response,
        open: () => {
          response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
          response.write(':\n\n');
        },
        send: (event, data) =>
          response.write(
            `event: ${event}\ndata: ${data === undefined ? '' : JSON.stringify(data)}\n\n`,
          ),
        cut: () => request.socket.destroy(),
      },
      ++calls,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
