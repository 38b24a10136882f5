import { framingFault, type RawResponse, sendRaw } from '../clients/raw.js';
import { atMost, type Experiment, holds, type Measurement, none, type Run } from '../experiment.js';
import { encode, type RawRequest } from '../fuzz/encode.js';
import { randomRequest } from '../fuzz/requests.js';
import { UNSERVED_TYPES } from '../fuzz/values.js';
import { createRandom } from '../random.js';
import { type GatewayProcess, startGateway, UNLIMITED } from '../servers/gateway.js';
import { TOKENS } from '../world/tokens.js';

const REQUEST_TIMEOUT_MS = 30_000;
const LOOPS = 8;

/** Signs of SQL, a stack trace or a server path in an error. */
const LEAK =
  /\bselect\b[^"]{1,200}\bfrom\b|insert into|\n\s+at |\.(?:ts|js|mjs):\d+|node_modules|\/(?:usr|home|work|tmp|root)\/|prisma|syntax error at or near|relation \\?"|column \\?"|pg_|postgres/i;

const isError = ({ status, body }: RawResponse) =>
  status >= 400 || body.subarray(0, 10).toString('latin1').startsWith('{"errors"');

/** Messages may quote client input. */
const leakOf = ({ text }: RawRequest, response: RawResponse): string | null => {
  if (!isError(response)) return null;
  const [found] = LEAK.exec(response.body.toString('utf8')) ?? [];
  return found === undefined || LEAK.test(decode(text)) ? null : found.slice(0, 60);
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

type Findings = {
  errors: string[];
  framing: string[];
  leaks: string[];
  slow: string[];
  slowest: number;
  statuses: Map<number, number>;
};

const inspect = (request: RawRequest, response: RawResponse, found: Findings): void => {
  const what = `${request.method} ${request.path.split('?')[0]?.slice(0, 60)}`;
  const { status, milliseconds, isOpen } = response;
  found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
  found.slowest = Math.max(found.slowest, milliseconds);
  if (status >= 500 && status !== 503 && status !== 504) found.errors.push(`${status} ${what}`);
  if (isOpen || milliseconds > REQUEST_TIMEOUT_MS) found.slow.push(what);
  const fault = isOpen ? null : framingFault(response, request.method === 'HEAD');
  if (fault !== null) found.framing.push(`${fault} ${what}`);
  const leak = leakOf(request, response);
  if (leak !== null) found.leaks.push(`${leak} in ${what}`);
};

const fuzzAll = async ({ seed, sized, log }: Run, gateway: GatewayProcess): Promise<Findings> => {
  const found: Findings = {
    errors: [],
    framing: [],
    leaks: [],
    slow: [],
    slowest: 0,
    statuses: new Map(),
  };
  const total = sized({ short: 3_000, long: 50_000 });
  const random = createRandom(seed);
  let sent = 0;
  const loop = async () => {
    while (sent < total && gateway.isAlive()) {
      sent += 1;
      if (sent % 5_000 === 0) log(`${sent} of ${total} requests`);
      const request = randomRequest(random);
      const response = await sendRaw(gateway.port, request.bytes, {
        limitMs: REQUEST_TIMEOUT_MS + 2_000,
        isHead: request.method === 'HEAD',
      });
      inspect(request, response, found);
    }
  };
  await Promise.all(Array.from({ length: LOOPS }, loop));
  return found;
};

/** Requests that are valid except for their Accept header. */
const unserved = async ({ port }: GatewayProcess): Promise<Measurement> => {
  const wrong: string[] = [];
  for (const accept of UNSERVED_TYPES) {
    const headers = { Accept: accept, Authorization: TOKENS.admin };
    const { bytes } = encode({
      method: 'POST',
      path: '/graphql',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: '{"query":"{ viewer { kind } }"}',
    });
    const response = await sendRaw(port, bytes, { limitMs: 5_000 });
    const fault = framingFault(response, false);
    if (response.status !== 406 || fault !== null)
      wrong.push(`${accept}: ${fault ?? response.status}`);
  }
  return none('unsupported Accept values without a 406', wrong, UNSERVED_TYPES.length);
};

export const fuzz: Experiment = {
  name: 'fuzz',
  summary: 'seeded random requests to every REST path and to GraphQL, over raw sockets',
  run: async (run) => {
    const url = await run.world.copy(run.scope, 'fuzz');
    const gateway = await startGateway(run.scope, url, { env: UNLIMITED });
    const rejected = await unserved(gateway);
    const { errors, framing, leaks, slow, slowest, statuses } = await fuzzAll(run, gateway);
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...statuses]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
    return [
      rejected,
      none(`5xx other than 503 and 504 (${counts})`, errors, total),
      none('responses without exactly one framing', framing, total),
      none('SQL, stack or path in an error', leaks, total),
      none('responses slower than the request timeout', slow, total),
      atMost('slowest answer', slowest / 1000, REQUEST_TIMEOUT_MS / 1000, 's'),
      holds('process', gateway.isAlive(), gateway.isAlive() ? 'alive' : 'dead', 'alive'),
    ];
  },
};
