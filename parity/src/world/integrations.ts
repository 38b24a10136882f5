import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdminApi, numberOf } from './admin-api.js';
import type { Row, Sql } from './sql.js';

/** Receives deliveries of integrations; the path determines its response. */
export type Sink = {
  url: string;
  /** Paths and bodies of received requests. */
  received: readonly { path: string; body: string }[];
  close(): Promise<void>;
};

const STATUS: Record<string, number> = {
  '/created': 201,
  '/teapot': 418,
  '/fail': 500,
  '/gone': 404,
};

/** Longer than any run: upstream does not retry when a reused connection is just being closed. */
const KEEP_ALIVE_MS = 3_600_000;

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
};

export const startSink = async (): Promise<Sink> => {
  const received: { path: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      received.push({ path, body });
      response.writeHead(STATUS[path] ?? 200, { 'content-type': 'text/plain' }).end('sink');
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const url = await listen(server);
  return {
    url,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const WATCHED = ['feature-created', 'feature-archived', 'feature-strategy-add', 'feature-tagged'];

const configurations = (sink: string) => [
  {
    provider: 'webhook',
    description: 'delivers fine',
    parameters: { url: `${sink}/ok` },
    events: WATCHED,
  },
  {
    provider: 'webhook',
    description: 'is answered 500',
    parameters: { url: `${sink}/fail` },
    events: ['feature-archived', 'feature-tagged'],
    projects: ['default'],
  },
  {
    provider: 'webhook',
    description: 'a template and broken headers',
    parameters: {
      url: `${sink}/created`,
      contentType: 'text/plain',
      customHeaders: '{not json',
      authorization: 'secret',
      bodyTemplate: '{{event.type}} by {{event.createdBy}}: {{{eventJson}}}',
    },
    events: ['feature-strategy-add'],
    projects: ['*'],
    environments: ['production'],
  },
  {
    provider: 'webhook',
    description: 'no server listens',
    parameters: { url: 'http://127.0.0.1:9/never' },
    events: ['feature-revived'],
  },
  {
    provider: 'webhook',
    description: 'switched off',
    enabled: false,
    parameters: { url: `${sink}/ok` },
    events: WATCHED,
  },
  {
    provider: 'slack',
    description: 'slack',
    parameters: { url: `${sink}/ok`, defaultChannel: 'general', username: 'P' },
    events: ['feature-tagged'],
  },
  {
    provider: 'teams',
    description: 'teams',
    parameters: { url: `${sink}/gone` },
    events: ['feature-revived'],
  },
  {
    provider: 'datadog',
    description: 'datadog',
    parameters: { url: `${sink}/ok`, apiKey: 'no-key' },
    events: ['feature-archived'],
  },
  {
    provider: 'new-relic',
    description: 'new relic',
    parameters: { url: `${sink}/teapot`, licenseKey: 'no-key' },
    events: ['feature-archived'],
  },
  {
    provider: 'webhook',
    description: 'nothing happened yet',
    parameters: { url: `${sink}/ok` },
    events: ['feature-completed'],
    projects: ['bare'],
  },
];

/** Creates integrations of every provider of upstream; returns their IDs. */
export const fillIntegrations = async (api: AdminApi, sink: Sink): Promise<number[]> => {
  const ids: number[] = [];
  for (const configuration of configurations(sink.url)) {
    const body = { enabled: true, projects: [], environments: [], ...configuration };
    // Newer versions reject providers that they no longer support.
    const response = await api.post('/api/admin/addons', body, { tolerates: [400] });
    if (response.status < 300) ids.push(numberOf(response, 'id'));
    else if (configuration.provider === 'webhook') throw new Error('could not create a webhook');
  }
  const body = {
    provider: 'webhook',
    description: 'short',
    enabled: false,
    parameters: { url: sink.url },
    events: ['feature-created'],
    projects: [],
    environments: [],
  };
  const passing = numberOf(await api.post('/api/admin/addons', body), 'id');
  await api.put(`/api/admin/addons/${passing}`, { ...body, description: 'short lived' });
  await api.delete(`/api/admin/addons/${passing}`);
  return ids;
};

/** Waits until the deliveries in flight are recorded. */
export const awaitDeliveries = async (sql: Sql): Promise<void> => {
  const count = async () => {
    const { found } = await sql.one<{ found: number }>(
      'select count(*)::int as found from integration_events',
    );
    return found;
  };
  const deadline = Date.now() + 20_000;
  let before = -1;
  for (let found = await count(); found === 0 || found !== before; found = await count()) {
    if (Date.now() > deadline) return;
    before = found;
    await delay(700);
  }
};

/** Inserts records that no provider writes: unusual payloads, old timestamps, and more than one page. */
export const addOddDeliveries = async (sql: Sql, integrationId: number): Promise<void> => {
  const odd: Row[] = [
    { event: {}, details: {}, state_details: '' },
    {
      event: { id: 1, big: 2 ** 53, nested: { b: [1, null, 'x'], a: 1.0 } },
      details: { 10: 'ten', 9: 'nine' },
      state_details: 'two\nlines',
    },
    {
      event: { text: '<b>&"\u2028' },
      details: { url: 'http://user:secret@127.0.0.1/' },
      state_details: 'Ünïcode ✓',
    },
  ];
  await sql.insert('integration_events', [
    ...odd.map((record) => ({
      ...record,
      integration_id: integrationId,
      state: 'successWithErrors',
      created_at: '2001-02-03T04:05:06.789999Z',
    })),
    ...Array.from({ length: 120 }, (_, index) => ({
      integration_id: integrationId,
      state: index % 2 ? 'failed' : 'success',
      state_details: `delivery ${index}`,
      event: { id: index },
      details: { url: '/' },
      created_at: new Date(Date.UTC(2024, 0, 1, 0, index % 7)).toISOString(),
    })),
  ]);
};
