import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { type RoutingProxy, startRoutingProxy } from '../../parity/src/admin-ui/routing-proxy.js';

const RESPONSE_HEADERS = [
  ['Set-Cookie', 'unleash-session=s%3Aabc.def; Path=/; HttpOnly; SameSite=Lax'],
  ['set-cookie', 'other=1'],
  ['X-Odd', 'Kept'],
  ['Content-Length', '4'],
  ['Connection', 'close'],
].flat();
const BODY = Buffer.from([0, 255, 10, 13]);

type Received = { target: string; rawHeaders: string[]; body: string };

const servers: Server[] = [];
let proxy: RoutingProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  for (const server of servers.splice(0)) server.close();
});

const startUpstream = async (received: Received[]): Promise<string> => {
  const server = createServer(async (incoming, response) => {
    const { url = '', rawHeaders } = incoming;
    received.push({ target: url, rawHeaders, body: await text(incoming) });
    response.sendDate = false;
    response.writeHead(203, 'Odd Reason', RESPONSE_HEADERS).end(BODY);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
};

test.each([
  ['POST', '/api/admin/projects/a%20b/features/c/clone?x=%2F', 'gateway'],
  ['GET', '/api/admin/search/events?query=%C3%A4', 'gateway'],
  ['POST', '/graphql', 'gateway'],
  ['POST', '/api/admin/search/events', 'unleash'],
  ['POST', '/auth/simple/login', 'unleash'],
])('the proxy of the admin UI tests passes %s %s to %s unchanged', async (method, path, by) => {
  const received = { gateway: [] as Received[], unleash: [] as Received[] };
  proxy = await startRoutingProxy({
    gateway: await startUpstream(received.gateway),
    unleash: await startUpstream(received.unleash),
  });
  const body = method === 'POST' ? '{"a":1}' : '';
  const headers = [
    ['HOST', 'flags.example.com'],
    ['Cookie', 'unleash-session=s%3Aabc.def; other=1'],
    ['X-Twice', 'a'],
    ['x-twice', 'b'],
    ['Sec-Fetch-Site', 'same-origin'],
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
  ].flat();
  const { hostname, port } = new URL(proxy.url);
  const sent = request({ hostname, port, method, path, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];

  expect(await buffer(response)).toEqual(BODY);
  expect([response.statusCode, response.statusMessage]).toEqual([203, 'Odd Reason']);
  expect(response.rawHeaders).toEqual(RESPONSE_HEADERS);
  const expected = [{ target: path, rawHeaders: headers, body }];
  expect(received).toEqual({ gateway: [], unleash: [], [by]: expected });
});
