import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Call, graphqlCall, outcomeOf, send } from '../clients/http.js';
import {
  atMost,
  type Experiment,
  holds,
  type Measurement,
  none,
  type Run,
  summarise,
} from '../experiment.js';
import { type GatewayProcess, startGateway, UNLIMITED } from '../servers/gateway.js';
import { type PoolMode, startPgBouncer } from '../servers/pgbouncer.js';
import { TOKENS } from '../world/tokens.js';

// Not 'pgbouncer', which is the name of PgBouncer's admin console.
const DATABASE = 'pooled';
const USER = { name: 'faults_gateway', password: 'faults' };
const STATEMENT_MS = 1_000;
const LOCK_MS = 6_000;
const token = TOKENS.cloner;

/** Queries whose results depend on the session's time zone, including columns without a time zone. */
const CALLS: readonly Call[] = [
  graphqlCall('{ projects(first: 30) { nodes { id createdAt } } }', { token }),
  graphqlCall(
    '{ events(first: 30, filter: { createdAt: { from: "2024-06-01T00:00:00Z", before: "2024-06-02T00:00:00Z" } }) { totalCount nodes { id createdAt } } }',
    { token },
  ),
  graphqlCall(
    '{ activity(by: DAY, from: "2024-06-01T00:00:00Z", before: "2024-06-20T00:00:00Z") { buckets { from count } } }',
    { token },
  ),
  graphqlCall(
    '{ features(first: 30) { nodes { name createdAt lastSeenAt environments { environment { name } lastSeenAt } } } }',
    { token },
  ),
  {
    path: '/api/admin/search/events?from=IS:2024-06-01&to=IS:2024-06-01&limit=20',
    headers: { authorization: token },
  },
  { path: '/api/admin/projects/payments/health-report', headers: { authorization: token } },
];

const responsesOf = async (url: string): Promise<string[]> => {
  const responses = await Promise.all(CALLS.map((call) => send(url, call)));
  return responses.map(({ status, text }) => `${status} ${text}`);
};

/** A rejection must state the reason. */
const EXPLAINED = /pgbouncer|time ?zone|statement_timeout/i;

/** Holds a lock that every statement on features waits for. */
const withLockedFeatures = async (url: string, work: () => Promise<void>): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin; lock table features in access exclusive mode');
    await work();
  } finally {
    await client.end();
  }
};

const statementLimit = async (
  run: Run,
  gateway: GatewayProcess,
  url: string,
  title: string,
): Promise<Measurement[]> => {
  let oldest = 0;
  const outcomes: string[] = [];
  await withLockedFeatures(url, async () => {
    const pending = Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const response = await send(
          gateway.url,
          graphqlCall(`{ features(first: ${index + 1}) { nodes { name } } }`, { token }),
        );
        outcomes.push(outcomeOf(response));
      }),
    );
    for (const end = Date.now() + LOCK_MS; Date.now() < end; await delay(200)) {
      const [row] = await run.world.server.query<{ age: string | null }>(
        'postgres',
        `select extract(epoch from max(clock_timestamp() - query_start)) as age from pg_stat_activity
         where usename = $1 and state = 'active' and wait_event_type = 'Lock'`,
        [USER.name],
      );
      oldest = Math.max(oldest, Number(row?.age ?? 0));
    }
    await pending;
  });
  return [
    atMost(
      `${title}: longest statement with a limit of 1 s`,
      oldest,
      2.5,
      's',
      `answers ${summarise(outcomes)}`,
    ),
    none(
      `${title}: responses of waiting statements other than 503 or 504`,
      outcomes.filter((outcome) => !['503', '504'].includes(outcome)),
      outcomes.length,
    ),
  ];
};

const measure = async (
  run: Run,
  mode: PoolMode,
  url: string,
  expected: readonly string[],
): Promise<Measurement[]> => {
  run.log(`${mode} mode`);
  const title = `PgBouncer, ${mode} mode`;
  const { scope, world } = run;
  const port = await startPgBouncer(scope, { mode, serverPort: world.server.port, user: USER });
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  const env = { ...UNLIMITED, STATEMENT_TIMEOUT_MS: String(STATEMENT_MS) };
  const gateway = await startGateway(scope, through.href, { env }).catch((error: Error) => error);
  if (gateway instanceof Error) {
    const message = gateway.message.split('\n').slice(1).join(' ').trim().slice(0, 160);
    return [
      holds(
        `${title}: correct responses or an explained refusal to start`,
        EXPLAINED.test(message),
        `refused: ${message}`,
        'right',
      ),
    ];
  }
  const wrong: string[] = [];
  const rounds = run.sized({ short: 10, long: 100 });
  for (let round = 0; round < rounds; round += 1) {
    const responses = await responsesOf(gateway.url);
    wrong.push(
      ...responses.flatMap((response, index) =>
        response === expected[index] ? [] : [CALLS[index]?.path ?? ''],
      ),
    );
  }
  return [
    none(`${title}: wrong responses (role in another time zone)`, wrong, rounds * CALLS.length),
    ...(await statementLimit(run, gateway, url, title)),
  ];
};

export const pgbouncer: Experiment = {
  name: 'pgbouncer',
  summary: 'a pooler in session and transaction mode, with a role of another time zone',
  run: async (run) => {
    const { world, scope } = run;
    await world.server.query(
      'postgres',
      `create role ${USER.name} superuser login password '${USER.password}'`,
    );
    await world.server.query('postgres', `alter role ${USER.name} set timezone = 'Europe/Oslo'`);
    scope.onClose(() => world.server.query('postgres', `drop role ${USER.name}`));
    const admin = await world.copy(scope, DATABASE);
    const url = world.server.urlOf(DATABASE, USER);
    const direct = await startGateway(scope, admin, { env: UNLIMITED });
    const expected = await responsesOf(direct.url);
    await direct.kill();
    const rejected = expected.filter((response) => !response.startsWith('200'));
    if (rejected.length > 0)
      throw new Error(`Queries are rejected without PgBouncer: ${rejected[0]}`);
    return [
      ...(await measure(run, 'session', url, expected)),
      ...(await measure(run, 'transaction', url, expected)),
    ];
  },
};
