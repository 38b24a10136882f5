import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, graphqlCall, sendGraphQL } from '../clients/http.js';
import { createRandom } from '../random.js';
import type { RunAttack } from './attack.js';
import { emptyBlocks } from './empty-blocks.js';
import { LARGE_OPERATIONS } from './large-operations.js';
import { RAW_CONNECTIONS } from './raw-connections.js';
import { burst, loop } from './requests.js';
import { WEB_SOCKETS } from './web-sockets.js';

const MIB = 1_048_576;

/** Unique documents that are rejected for their length or syntax, with a multi-byte character. */
const rejectedDocuments: RunAttack = (options, signal) => {
  const { url, token, bytes = 1_000_000, count, loops = 4 } = options;
  const filler = 'x'.repeat(bytes);
  return loop(url, signal, { loops, count }, (index) =>
    graphqlCall(`→${index} ${filler}`, { token }),
  );
};

/** Unique valid documents of a thousand values that are rejected for their cost. */
const costlyDocuments: RunAttack = (options, signal) => {
  const { url, token, count, loops = 20 } = options;
  const list = (from: number) =>
    Array.from({ length: 240 }, (_, offset) => from + offset).join(' ');
  return loop(url, signal, { loops, count }, (index) => {
    const lists = [1, 2, 3, 4].map((part) => `{ id: { anyOf: [${list(index * 10_000 + part)}] } }`);
    return graphqlCall(
      `{ projects(first: 1000) { nodes { events(first: 1000, filter: { or: [${lists.join(' ')}] }) { nodes { id } } } } }`,
      { token },
    );
  });
};

/** Bodies without content that take long to decompress, from clients without a token. */
const emptyBodies: RunAttack = ({ url, loops = 80 }, signal) => {
  const body = emptyBlocks(100_000);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'deflate' };
  return loop(url, signal, { loops }, () => ({
    path: '/api/admin/search/events',
    method: 'POST',
    headers,
    body,
  }));
};

/** Unfinished bodies that use the whole memory share of a client, which starts reads that others share. */
const fullShare: RunAttack = async ({ url, token, loops = 8 }, signal) => {
  const { hostname, port } = new URL(url);
  const hold = (bytes: number): void => {
    if (signal.aborted) return;
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.resume().on('close', () => setTimeout(() => hold(bytes), 300));
    signal.addEventListener('abort', () => socket.destroy());
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
        `Authorization: ${token}\r\nContent-Length: ${bytes}\r\n\r\n{`,
    );
  };
  for (let held = 0; held < 32; held += 1) hold(MIB - (held === 0 ? 6_000 : 0));
  return loop(url, signal, { loops }, (index) => ({
    path: `/graphql?${new URLSearchParams({ query: `{ eventLog { settledId } a${index % 40}: __typename }` })}`,
    headers: { authorization: token ?? '' },
  }));
};

const LARGE_PAGE = 'events(first: 1000) { nodes { data preData } }';

/** One document with 50 aliases of the largest page. */
const aliases: RunAttack = (options, signal) => {
  const { url, token, count = 10, loops = 2 } = options;
  const document = (index: number) =>
    `query Q${index} { ${Array.from({ length: 50 }, (_, offset) => `a${offset}: ${LARGE_PAGE}`).join(' ')} }`;
  return loop(url, signal, { loops, count }, (index) => graphqlCall(document(index), { token }));
};

/**
 * Larger than the kernel's socket buffers, so the rest was buffered by the server; and larger than any error response.
 */
const [LARGE_BYTES, SMALL_BYTES, READ_MS] = [15_000_000, 1_000_000, 3_000];
/** The server drops a response that is unread for 30 s, and checks every few seconds. */
const DROPPED_AFTER_MS = 35_000;

/** Sockets that request a large page and never read the response. */
const nonReadingSockets: RunAttack = async ({ url, token, count = 300 }, signal) => {
  const { hostname, port } = new URL(url);
  const responses = Array.from({ length: count }, (_, index) => {
    const { body } = graphqlCall(`query Q${index} { ${LARGE_PAGE} }`, {});
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    // The server sends responses in turn, so the time a response is buffered counts from its first byte.
    const response = { socket, begunAt: Number.POSITIVE_INFINITY };
    socket.once('readable', () => {
      response.begunAt = performance.now();
    });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
        `Accept-Encoding: identity\r\nAuthorization: ${token}\r\n` +
        `Content-Length: ${Buffer.byteLength(body ?? '')}\r\n\r\n${body}`,
    );
    return response;
  });
  while (!signal.aborted) await delay(50);
  const overdue = performance.now() - DROPPED_AFTER_MS;
  // Reading now shows which responses the server still buffers: the others end early or were rejected.
  const isHeldOpen = async ({
    socket,
    begunAt: startedAt,
  }: (typeof responses)[number]): Promise<boolean> => {
    if (startedAt > overdue) return false;
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    const closed = new Promise((resolve) => socket.on('close', () => resolve(true)));
    socket.resume();
    const hasEnded = await Promise.race([closed, delay(READ_MS)]);
    return received >= LARGE_BYTES || (!hasEnded && received > SMALL_BYTES);
  };
  const heldOpen = await Promise.all(responses.map(isHeldOpen));
  for (const { socket } of responses) socket.destroy();
  return { responses: {}, held: heldOpen.filter(Boolean).length };
};

const PATHS = [
  'parameters.rollout',
  'title',
  'description',
  'constraints[].values',
  'settings.reference',
];

/** Permitted operations of one viewer that read much of the event log. */
const hardOperations: RunAttack = ({ url, token, seed, loops = 12 }, signal) => {
  const random = createRandom(seed);
  const call = (index: number): Call =>
    graphqlCall(
      index % 2 === 0
        ? `{ activity(by: WEEK, from: "2024-01-01T00:00:00Z", before: "2025-12-31T00:00:00Z", filter: { touches: "${random.pick(PATHS)}", text: "${random.text(2)}" }) { count } }`
        : `{ projects(first: 15) { nodes { id events(first: 5, filter: { text: "${random.text(4)}" }) { nodes { id } } } } }`,
      { token, headers: { 'x-graphql-cost': 'true' } },
    );
  return loop(url, signal, { loops }, call);
};

const shortTexts: RunAttack = ({ url, token = '', seed, loops = 12 }, signal) => {
  const random = createRandom(seed);
  return loop(url, signal, { loops }, (index) => {
    const text = random.text(1 + random.below(3));
    return index % 2 === 0
      ? {
          path: `/api/admin/search/events?limit=5&query=${text}`,
          headers: { authorization: token },
        }
      : graphqlCall(
          `{ events(first: 5, filter: { text: "${text}" }) { totalCount nodes { id } } }`,
          { token },
        );
  });
};

const wrongTokens: RunAttack = ({ url, seed, loops = 20 }, signal) => {
  const random = createRandom(seed);
  return loop(url, signal, { loops }, (index) =>
    graphqlCall('{ viewer { kind } }', {
      token: index % 2 === 0 ? `*:*.${random.text(20)}` : `user:${random.text(20)}`,
    }),
  );
};

/** Small, fast operations, as many as possible. */
const smallOperations: RunAttack = ({ url, token, loops = 20 }, signal) =>
  loop(url, signal, { loops }, (index) =>
    graphqlCall('query ($id: Int!) { viewer { kind } event(id: $id) { id type } }', {
      token,
      variables: { id: 1 + (index % 1_000) },
    }),
  );

/** Many requests at once, after a pause in which the client counts for nothing. */
const bursts: RunAttack = ({ url, token, seed, loops = 60 }, signal) => {
  const random = createRandom(seed);
  const calls = [
    'event(id: $id) { id }',
    'features(first: 64) { nodes { timeline(environmentName: "production", last: 1) { state } } }',
    'events(first: 390, filter: { id: { before: $id } }) { nodes { data } }',
  ];
  return burst(url, signal, { size: loops, everyMs: 3_000 }, (index) =>
    graphqlCall(
      `query ($id: Int!) { ${calls[Math.floor(index / loops) % 3]} e: event(id: $id) { id } }`,
      {
        token,
        variables: { id: 1 + random.below(1_000_000) },
      },
    ),
  );
};

/** Few operations of low cost that read thousands of rows, at once after a pause. */
const smallReads: RunAttack = ({ url, token, seed, loops = 8 }, signal) => {
  const random = createRandom(seed);
  return burst(url, signal, { size: loops, everyMs: 1_200 }, (index) => {
    const time = new Date(1_766_000_000_000 + random.below(5) * 1_000).toISOString();
    const reads = [
      `feature(name: "feature-00001") { asOf(time: "${time}") { existence environments { state } } }`,
      'projects(first: 12) { nodes { health { activeCount } } }',
    ];
    return graphqlCall(
      `query ($id: Int!) { ${reads[Math.floor(index / loops) % 2]} event(id: $id) { id } }`,
      { token, variables: { id: 1 + random.below(1_000_000) } },
    );
  });
};

/** Probes on more connections than may wait. */
const probes: RunAttack = ({ url, loops = 1_200 }, signal) =>
  loop(url, signal, { loops }, () => ({ path: '/livez' }));

/** Asks again as soon as it is answered, on more connections than are kept. */
const retries: RunAttack = ({ url, loops = 3_500 }, signal) =>
  loop(url, signal, { loops }, () => graphqlCall('{ viewer { kind } }', {}));

/** Operations that are rejected early: for syntax errors, schema errors or cost. */
const rejectedOperations: RunAttack = ({ url, token, loops = 20 }, signal) =>
  loop(url, signal, { loops }, (index) =>
    graphqlCall(
      [
        `{ events(first: ${index}) { nodes { id }`,
        `{ events(first: 5) { nodes { id nothing${index} } } }`,
        '{ projects(first: 1000) { nodes { events(first: 1000) { nodes { id } } } } }',
      ][index % 3] ?? '',
      { token },
    ),
  );

const PUBLIC: readonly Call[] = [
  { path: '/readyz' },
  { path: '/metrics' },
  { path: '/', headers: { accept: 'text/html' } },
];

const publicPages: RunAttack = ({ url, loops = 20 }, signal) =>
  loop(url, signal, { loops }, (index) => PUBLIC[index % PUBLIC.length] ?? { path: '/' });

const SUBSCRIPTION = `subscription ($after: String) { events(after: $after) { node { id
  project { features(first: 30) { nodes { name environments { environment { name } strategies { name } } tags { value } } } } } } }`;

/** Streams that replay the event log from the start with an expensive selection. */
const replays: RunAttack = async ({ url, token, loops = 20 }, signal) => {
  const { text } = await sendGraphQL(url, '{ events(last: 1) { pageInfo { endCursor } } }', {
    ...(token !== undefined && { token }),
  });
  const after = JSON.parse(text).data.events.pageInfo.endCursor;
  return loop(url, signal, { loops }, () => ({
    ...graphqlCall(SUBSCRIPTION, {
      token,
      variables: { after },
      headers: { accept: 'text/event-stream' },
    }),
  }));
};

export const ATTACKS = {
  rejectedDocuments,
  costlyDocuments,
  aliases,
  bursts,
  smallReads,
  probes,
  emptyBodies,
  fullShare,
  retries,
  nonReadingSockets,
  hardOperations,
  shortTexts,
  wrongTokens,
  publicPages,
  rejectedOperations,
  replays,
  smallOperations,
  ...LARGE_OPERATIONS,
  ...RAW_CONNECTIONS,
  ...WEB_SOCKETS,
} satisfies Record<string, RunAttack>;

export type AttackName = keyof typeof ATTACKS;
