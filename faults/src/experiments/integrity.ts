import { setTimeout as delay } from 'node:timers/promises';
import {
  cloneCall,
  cloneOutcome,
  cloneTime,
  partialClones,
  SOURCE,
  TARGET,
} from '../clients/clones.js';
import { send, sendGraphQL } from '../clients/http.js';
import { atMost, type Experiment, holds, type Measurement, none, type Run } from '../experiment.js';
import { createRandom } from '../random.js';
import { startFaultProxy } from '../servers/fault-proxy.js';
import { type GatewayProcess, startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';
import { killEmbedded } from './kill-embedded.js';
import { lostResponses } from './lost-responses.js';

const DATABASE = 'integrity';
const REFERENCE = 'reference-copy';
const token = TOKENS.cloner;

const makeReference = async ({ url }: GatewayProcess): Promise<void> => {
  const response = await send(url, cloneCall('REST', { name: REFERENCE, token }));
  if (response.status !== 200) throw new Error(`The reference copy was rejected: ${response.text}`);
};

/** Resets connections during clones without a key: each copy is complete or does not exist. */
const resets = async (run: Run, url: string): Promise<Measurement[]> => {
  run.log('connections are reset during clones');
  const { scope, world, seed, sized } = run;
  const random = createRandom(seed + 1);
  const proxy = await startFaultProxy(scope, world.server.port);
  const gateway = await startGateway(scope, proxy.through(url), { env: UNLIMITED });
  const names: string[] = [];
  const outcomes: string[] = [];
  const milliseconds = await cloneTime(gateway.url, token, 'reset');
  for (let round = 0; round < sized({ short: 20, long: 200 }); round += 1) {
    const batch = [0, 1, 2].map((part) => `reset-${round}-${part}`);
    names.push(...batch);
    const responses = batch.map((name, index) =>
      send(gateway.url, cloneCall(index % 2 === 0 ? 'REST' : 'GraphQL', { name, token })).then(
        cloneOutcome,
        (error: Error) => error.message,
      ),
    );
    await delay(random.next() * 2 * milliseconds);
    proxy.reset();
    outcomes.push(...(await Promise.all(responses)));
  }
  await gateway.kill();
  const { partial, complete } = await partialClones(world.server, DATABASE, REFERENCE, names);
  const reported = outcomes.filter((outcome) => outcome === '200').length;
  return [
    none('connection resets: partial copies', partial, names.length),
    none(
      'connection resets: responses other than 200, 503 and 504',
      outcomes.filter((outcome) => !['200', '503', '504'].includes(outcome)),
      outcomes.length,
    ),
    holds(
      'connection resets: copies reported as created exist',
      complete.length >= reported,
      `${reported} reported, ${complete.length} exist`,
      'all',
    ),
  ];
};

/** Sends `kill -9` during clones. */
const kills = async (run: Run, url: string): Promise<Measurement> => {
  const times = run.sized({ short: 5, long: 200 });
  run.log(`kill -9 during clones, ${times} times, PostgreSQL`);
  const random = createRandom(run.seed + 2);
  const names: string[] = [];
  for (let round = 0; round < times; round += 1) {
    const gateway = await startGateway(run.scope, url, { env: UNLIMITED });
    const milliseconds = await cloneTime(gateway.url, token, `kill-${round}`);
    const batch = Array.from({ length: 6 }, (_, part) => `kill-${round}-${part}`);
    names.push(...batch);
    const responses = batch.map((name) =>
      send(gateway.url, cloneCall('REST', { name, token })).catch(() => undefined),
    );
    await delay(random.next() * 3 * milliseconds);
    await gateway.kill();
    await Promise.all(responses);
  }
  await delay(500);
  const { partial, complete } = await partialClones(run.world.server, DATABASE, REFERENCE, names);
  return none(
    `${times} × kill -9 during clones, PostgreSQL: partial copies (${complete.length} complete)`,
    partial,
    names.length,
  );
};

const countCopies = async ({ world }: Run, prefix: string): Promise<number> => {
  const [row] = await world.server.query<{ count: string }>(
    DATABASE,
    `select count(*) from features where name like $1`,
    [`${prefix}%`],
  );
  return Number(row?.count ?? 0);
};

const cloneMany = (count: number, prefix: string) =>
  `mutation { ${Array.from({ length: count }, (_, index) => `c${index}: cloneFeature(input: { featureName: "${SOURCE}", targetProjectId: "${TARGET}", newName: "${prefix}${index}" }) { __typename }`).join(' ')} }`;

/** A mutation of many clones stops at the request timeout. */
const deadline = async (run: Run, url: string): Promise<Measurement> => {
  run.log('a mutation of 50 clones that exceeds its deadline');
  const proxy = await startFaultProxy(run.scope, run.world.server.port);
  const gateway = await startGateway(run.scope, proxy.through(url), {
    env: { ...UNLIMITED, REQUEST_TIMEOUT_MS: '1500' },
  });
  await send(gateway.url, cloneCall('REST', { name: 'deadline-warm-up', token }));
  proxy.setDelay(100);
  for (const count of [50, 20, 10]) {
    const prefix = `deadline-${count}-`;
    const { status, text } = await sendGraphQL(gateway.url, cloneMany(count, prefix), { token });
    if (status === 400) continue;
    const then = await countCopies(run, prefix);
    await delay(5_000);
    const later = await countCopies(run, prefix);
    await gateway.kill();
    const isCut = status === 504 || text.includes('TIMEOUT');
    const remark = `${isCut ? '504' : `status ${status}`} with ${then} of ${count} made`;
    return atMost(
      `deadline: clones created after the 504 of a mutation of ${count}`,
      isCut ? later - then : Number.NaN,
      1,
      '',
      remark,
    );
  }
  return holds('deadline: mutation of clones', false, 'rejected', 'exceeds its deadline');
};

export const integrity: Experiment = {
  name: 'integrity',
  summary: 'clones with lost responses, resets, kill -9 and deadlines: atomic, never duplicated',
  run: async (run) => {
    const url = await run.world.copy(run.scope, DATABASE);
    const gateway = await startGateway(run.scope, url, { env: UNLIMITED });
    await makeReference(gateway);
    await gateway.kill();
    return [
      ...(await lostResponses(run, { url, databaseName: DATABASE, reference: REFERENCE })),
      ...(await resets(run, url)),
      await deadline(run, url),
      await kills(run, url),
      await killEmbedded(run),
    ];
  },
};
