import { setTimeout as delay } from 'node:timers/promises';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { cloneCall } from '../clients/clones.js';
import { send, sendGraphQL } from '../clients/http.js';
import { type Measurement, none, type Run } from '../experiment.js';
import { createRandom } from '../random.js';
import { startGateway, UNLIMITED } from '../servers/gateway.js';
import { scopedFolder } from '../servers/listening.js';

const [SOURCE, TARGET] = ['checkout-one-page', 'web-shop'];
const token = DEMO_TOKENS.admin;
const clone = (name: string) => cloneCall('REST', { name, token, source: SOURCE, target: TARGET });

/** What a copy consists of, as returned by GraphQL. */
const shapeOf = async (url: string, name: string): Promise<string> => {
  const { text } = await sendGraphQL(
    url,
    `query ($name: String!) {
      feature(name: $name) { environments { environment { name } strategies { name segments { id } } } }
      events(filter: { featureName: { is: $name } }) { totalCount }
    }`,
    { token, variables: { name } },
  );
  return text;
};

/** Sends `kill -9` during clones on the embedded database, which must reopen with only complete copies. */
export const killEmbedded = async (run: Run): Promise<Measurement> => {
  const times = run.sized({ short: 4, long: 200 });
  run.log(`kill -9 during clones, ${times} times, embedded`);
  const random = createRandom(run.seed + 3);
  const env = {
    ...UNLIMITED,
    DATA_DIR: scopedFolder(run.scope, 'embedded'),
    NODE_ENV: 'development',
  };
  const open = () => startGateway(run.scope, undefined, { env });

  let gateway = await open();
  const reference = await send(gateway.url, clone('reference-copy'));
  if (reference.status !== 200)
    throw new Error(`The reference copy was rejected: ${reference.text}`);
  const complete = await shapeOf(gateway.url, 'reference-copy');
  const nothing = await shapeOf(gateway.url, 'no-such-copy');
  const partial: string[] = [];
  let count = 0;
  for (let round = 0; round < times; round += 1) {
    const names = Array.from({ length: 6 }, (_, part) => `kill-${round}-${part}`);
    const { url } = gateway;
    const startedAt = performance.now();
    await send(url, clone(`time-${round}`));
    const milliseconds = performance.now() - startedAt;
    const responses = names.map((name) => send(url, clone(name)).catch(() => undefined));
    await delay(random.next() * 3 * milliseconds);
    await gateway.kill();
    await Promise.all(responses);
    gateway = await open();
    for (const name of names) {
      const shape = await shapeOf(gateway.url, name);
      if (shape === complete) count += 1;
      else if (shape !== nothing) partial.push(shape.slice(0, 100));
    }
  }
  await gateway.kill();
  return none(
    `${times} × kill -9 during clones, embedded: partial copies (${count} complete)`,
    partial,
    times * 6,
  );
};
