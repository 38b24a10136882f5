import { setTimeout as delay } from 'node:timers/promises';
import { cloneCall } from '../clients/clones.js';
import { cursorNow, exactlyOnce, startFollower, untilArrived } from '../clients/follower.js';
import { failuresOf, startHonestClient } from '../clients/honest-client.js';
import { type Call, graphqlCall, send } from '../clients/http.js';
import { percentile } from '../clients/statistics.js';
import { atMost, type Experiment, type Measurement, none } from '../experiment.js';
import { createRandom, type Random } from '../random.js';
import { type GatewayProcess, readMetric, startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';
import { committedMarks, startWriter } from '../world/writer.js';

const DATABASE = 'soak';
/** Maximum memory ratio of the last third to the middle third. */
const SHARE = 1.15;
const SLACK_MB = 16;

const token = TOKENS.cloner;

/** A unique request of a random kind. */
const randomCall = (random: Random, round: number): { call: Call; allowed: readonly number[] } => {
  const kind = random.below(8);
  if (kind === 0)
    return {
      call: cloneCall(round % 2 === 0 ? 'REST' : 'GraphQL', { name: `soak-${round}`, token }),
      allowed: [200],
    };
  if (kind === 1)
    return { call: graphqlCall(`→${round} ${'x'.repeat(50_000)}`, { token }), allowed: [400, 413] };
  if (kind === 2)
    return {
      call: graphqlCall(
        `{ events(first: 500, filter: { id: { before: ${1_000 + random.below(2_000)} } }) { nodes { id data preData changes { path } } } }`,
        { token },
      ),
      allowed: [200],
    };
  if (kind === 3)
    return {
      call: {
        path: `/api/admin/search/events?limit=100&offset=${random.below(2_000)}&feature=IS:feature-0${1_000 + random.below(900)}`,
        headers: { authorization: token },
      },
      allowed: [200],
    };
  if (kind === 4)
    return {
      call: graphqlCall(
        `{ projects(first: 20) { nodes { id features(first: ${1 + random.below(20)}) { nodes { name environments { environment { name } strategies { name } } } } } } }`,
        { token },
      ),
      allowed: [200],
    };
  if (kind === 5)
    return {
      call: {
        path: '/api/admin/projects/storefront/health-report',
        headers: { authorization: token },
      },
      allowed: [200],
    };
  if (kind === 6)
    return {
      call: graphqlCall('{ viewer { kind } }', { token: `user:${random.text(12)}` }),
      allowed: [401],
    };
  return {
    call: graphqlCall(
      `{ features(first: 50, filter: { text: "${random.text(3)}" }) { totalCount nodes { name } } }`,
      { token },
    ),
    allowed: [200],
  };
};

const startMix = (url: string, seed: number, loops: number) => {
  const random = createRandom(seed);
  const wrong: string[] = [];
  let round = 0;
  let isStopped = false;
  const loop = async () => {
    while (!isStopped) {
      round += 1;
      const { call, allowed } = randomCall(random, round);
      const outcome = await send(url, call).then(
        ({ status }) => (allowed.includes(status) ? null : `${status} ${call.path.split('?')[0]}`),
        (error: Error) => error.message,
      );
      if (outcome !== null) wrong.push(outcome);
      await delay(20);
    }
  };
  const running = Promise.all(Array.from({ length: loops }, loop));
  return async () => {
    isStopped = true;
    await running;
    return { wrong, count: round };
  };
};

type Sample = { residentMb: number; heapMb: number };

const watchMemory = (gateway: GatewayProcess, everyMs: number) => {
  const samples: Sample[] = [];
  const timer = setInterval(async () => {
    const heap = await readMetric(gateway.url, 'nodejs_heap_size_used_bytes').catch(() => 0);
    samples.push({ residentMb: gateway.residentMb(), heapMb: heap / 2 ** 20 });
  }, everyMs);
  return () => {
    clearInterval(timer);
    return samples;
  };
};

const thirds = (samples: readonly Sample[], key: keyof Sample) => {
  const size = Math.floor(samples.length / 3);
  const median = (from: number) =>
    percentile(
      samples.slice(from, from + size).map((sample) => sample[key]),
      0.5,
    );
  return { middle: median(size), last: median(2 * size) };
};

const flatness = (samples: readonly Sample[], key: keyof Sample, what: string): Measurement => {
  const { middle, last } = thirds(samples, key);
  return atMost(
    `${what} in the last third (middle third ${Math.round(middle)} MB)`,
    last,
    middle * SHARE + SLACK_MB,
    'MB',
  );
};

export const soak: Experiment = {
  name: 'soak',
  summary: 'mixed traffic with clones, streams and rejected requests; memory stays flat',
  run: async (run) => {
    const { scope, world, seed, sized } = run;
    const seconds = sized({ short: 25, long: 1_800 });
    const databaseUrl = await world.copy(scope, DATABASE);
    const gateway = await startGateway(scope, databaseUrl, { env: UNLIMITED });
    const { url } = gateway;
    const cursor = await cursorNow(url, TOKENS.follower);
    const followers = [0, 1, 2].map(() => startFollower(() => url, TOKENS.follower, cursor));
    for (const follower of followers) scope.onClose(follower.stop);
    const writer = startWriter(() => databaseUrl, 'soak', 200);
    scope.onClose(writer.stop);
    const honest = await startHonestClient(url, { everyMs: 50 });
    const stopMix = startMix(url, seed, 3);
    const stopWatching = watchMemory(gateway, Math.max(500, (seconds * 1000) / 300));

    run.log(`${seconds} s of mixed traffic`);
    await delay(seconds * 1000);
    const samples = stopWatching();
    const mixed = await stopMix();
    const honestSamples = await honest.stop();
    await writer.stop();
    const committed = await committedMarks(world.server, DATABASE);
    await untilArrived(followers, committed);
    const deliveryErrors = followers.flatMap((follower) => exactlyOnce(follower, committed));
    return [
      flatness(samples, 'residentMb', 'resident memory'),
      flatness(samples, 'heapMb', 'heap in use'),
      none('failed or wrong honest requests', failuresOf(honestSamples), honestSamples.length),
      none('mixed requests with an unexpected response', mixed.wrong, mixed.count),
      none(
        'events that did not reach a stream exactly once',
        deliveryErrors,
        committed.length * followers.length,
      ),
    ];
  },
};
