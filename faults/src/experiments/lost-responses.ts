import { setTimeout as delay } from 'node:timers/promises';
import {
  cloneCall,
  cloneOutcome,
  cloneTime,
  partialClones,
  type Transport,
} from '../clients/clones.js';
import { send } from '../clients/http.js';
import { holds, type Measurement, none, type Run } from '../experiment.js';
import { createRandom } from '../random.js';
import { startFaultProxy } from '../servers/fault-proxy.js';
import { startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';

const token = TOKENS.cloner;
const RETRIES = 40;

/** Retries until a final response, like a client with an idempotency key; returns the last outcome. */
const retry = async (
  urls: readonly string[],
  transport: Transport,
  name: string,
  key: string,
): Promise<string> => {
  let outcome = 'no response';
  for (let attempt = 0; attempt < RETRIES; attempt += 1) {
    outcome = await send(
      urls[attempt % urls.length] ?? '',
      cloneCall(transport, { name, token, key }),
    ).then(cloneOutcome, (error: NodeJS.ErrnoException) => error.code ?? error.message);
    if (/^(200|4\d\d)$/.test(outcome) || !/^\d|^E/.test(outcome)) return outcome;
    await delay(100);
  }
  return outcome;
};

/** Responses are lost on both sides of the gateway. A retry with the same key, to either instance, returns the copy. */
export const lostResponses = async (
  run: Run,
  { url, databaseName, reference }: { url: string; databaseName: string; reference: string },
): Promise<Measurement[]> => {
  run.log('clones whose responses are lost');
  const { scope, world, seed, sized } = run;
  const random = createRandom(seed);
  const database = await startFaultProxy(scope, world.server.port);
  const start = () => startGateway(scope, database.through(url), { env: UNLIMITED });
  const [first, second] = [await start(), await start()];
  // Cuts every response after a few bytes: the copy exists, but the client can't know.
  const front = await startFaultProxy(scope, first.port);
  front.cutAfter(10);
  const milliseconds = await cloneTime(first.url, token, 'lost');
  const outcomes: string[] = [];
  const names: string[] = [];
  for (let round = 0; round < sized({ short: 20, long: 400 }); round += 1) {
    const transport: Transport = round % 2 === 0 ? 'REST' : 'GraphQL';
    const [name, key] = [`lost-${round}`, `key-${seed}-${round}`];
    names.push(name);
    const isDatabaseSide = round % 4 < 2;
    const target = isDatabaseSide ? first.url : `http://127.0.0.1:${front.port}`;
    const interrupted = send(target, cloneCall(transport, { name, token, key })).catch(
      () => undefined,
    );
    if (isDatabaseSide) {
      await delay(random.next() * 1.3 * milliseconds);
      database.reset();
    }
    await interrupted;
    outcomes.push(await retry([second.url, first.url], transport, name, key));
  }
  await Promise.all([first.kill(), second.kill()]);
  const { partial, complete } = await partialClones(world.server, databaseName, reference, names);
  return [
    none(
      'lost responses: retries with the same key that did not return the copy',
      outcomes.filter((outcome) => outcome !== '200'),
      names.length,
    ),
    none('lost responses: partial or duplicate copies', partial, names.length),
    holds(
      'lost responses: copies that exist',
      complete.length === names.length,
      `${complete.length} of ${names.length}`,
      'all',
    ),
  ];
};
