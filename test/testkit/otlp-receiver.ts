import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Attribute = { key: string; value: Record<string, unknown> };

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  status: { code: number };
};

// biome-ignore lint/suspicious/noExplicitAny: the JSON of the protocol is deeply nested.
type Json = any;

export type OtlpExport = { path: string; type: string; body: Buffer };

const attributesOf = (list: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector that keeps the requests it receives, even while it does not respond or rejects them. */
export const startOtlpReceiver = async () => {
  const received: OtlpExport[] = [];
  const pending: ServerResponse[] = [];
  let isPaused = false;
  let status = 200;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push({
      path: request.url ?? '',
      type: request.headers['content-type'] ?? '',
      body,
    });
    if (isPaused) pending.push(response);
    else response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const documents = (path: string): Json[] =>
    received.filter((sent) => sent.path === path).map(({ body }) => JSON.parse(String(body)));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    hang: () => {
      isPaused = true;
    },
    reject: () => {
      status = 400;
    },
    recover: () => {
      isPaused = false;
      for (const response of pending.splice(0)) response.end();
    },
    spans: (): ReceivedSpan[] =>
      documents('/v1/traces')
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span: Json) => ({ ...span, attributes: attributesOf(span.attributes) })),
    metrics: (): Json[] =>
      documents('/v1/metrics')
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics),
    resources: (): Record<string, unknown>[] =>
      [
        ...documents('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans),
        ...documents('/v1/metrics').flatMap(({ resourceMetrics }) => resourceMetrics),
      ].map(({ resource }: Json) => attributesOf(resource.attributes)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;
