import { Writable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../../src/app.js';
import { decideSessions } from '../../src/auth/session-setting.js';
import { type Config, loadConfig } from '../../src/config/config.js';
import type { Database } from '../../src/data/connect.js';
import { createDemoAccess } from '../../src/demo/demo-access.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { schemaFor } from '../../src/graphql/schema/index.js';
import { loadTrustedDocuments } from '../../src/graphql/trusted-documents/trusted-documents.js';
import { createLogger } from '../../src/observability/logger.js';
import { startServer } from '../../src/server.js';
import { describeWithDatabase, type OpenDatabase } from './database.js';

export { DEMO_DAY } from './demo-day.js';

type Call = {
  /** A token; null sends none. Default: the admin token of the demo world. */
  token?: string | null;
  headers?: Record<string, string>;
};

type RestCall = Call & { method?: string; body?: unknown; rawBody?: string | Buffer };

export type RestResult = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses are compared with expectations of tests.
  body: any;
};

export type GraphqlResult = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses are compared with expectations of tests.
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: errors have extensions of any shape.
  errors: any[] | undefined;
};

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

type GatewayOptions = {
  /** Whether its pages offer the demo tokens. */
  hasDemo?: boolean;
  /** A built console, which is then on by default. With CONSOLE=on, that of the clone is served. */
  consoleFolder?: URL;
};

/** A gateway on its own port, over the database of a test. */
export const startGateway = async (
  database: Database,
  settings: Record<string, string> = {},
  { hasDemo = true, consoleFolder }: GatewayOptions = {},
) => {
  const config: Config = loadConfig({
    PORT: '0',
    LOG_LEVEL: 'info',
    // All clients of a test share one address.
    AUTH_FAILURES_PER_MINUTE: '0',
    // Tests count log lines, and machines can be slow.
    SLOW_OPERATION_MS: '0',
    // Whether the console is built must not matter.
    ...(!consoleFolder && { CONSOLE: 'off' }),
    ...settings,
  });
  const log: string[] = [];
  const destination = new Writable({
    write: (line, _encoding, done) => {
      log.push(String(line));
      done();
    },
  });
  const logger = createLogger({ level: config.logLevel, pretty: false, destination });
  const sessions = decideSessions(config, database);
  const app = createApp({
    config,
    database,
    logger,
    version: '1.2.3-test',
    documents:
      config.trustedDocuments && loadTrustedDocuments(schemaFor(config), config.trustedDocuments),
    ...(sessions.isOn && { sessionSecret: sessions.secret }),
    ...(hasDemo && { demo: createDemoAccess(config, true) }),
    ...(consoleFolder && { consoleFolder }),
  });
  // Tests listen on loopback, whatever HOST is.
  const server = await startServer(app, { ...config, host: '127.0.0.1' }, logger);

  const request = async (path: string, init: RequestInit, call: Call) => {
    const token = call.token === undefined ? DEMO_TOKENS.admin : call.token;
    const response = await fetch(`${server.url}${config.basePath}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        // A process blocked by the embedded database for seconds closes idle connections while they are reused.
        connection: 'close',
        ...(token !== null && { authorization: token }),
        ...(init.headers as Record<string, string>),
        ...call.headers,
      },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };

  return {
    url: server.url,
    log,
    app,
    stop: () => server.stop(),
    rest: (path: string, call: RestCall = {}): Promise<RestResult> => {
      const body =
        call.rawBody ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
      return request(
        path,
        {
          method: call.method ?? (body === undefined ? 'GET' : 'POST'),
          ...(body !== undefined && { body: body as string }),
          headers: body === undefined ? {} : { 'content-type': 'application/json' },
        },
        call,
      );
    },
    graphql: async (
      query: string,
      variables: Record<string, unknown> = {},
      call: Call = {},
    ): Promise<GraphqlResult> => {
      const { status, headers, body } = await request(
        '/graphql',
        {
          method: 'POST',
          body: JSON.stringify({ query, variables }),
          headers: { 'content-type': 'application/json' },
        },
        call,
      );
      return { status, headers, data: body?.data, errors: body?.errors };
    },
  };
};

export type Gateway = Awaited<ReturnType<typeof startGateway>>;

export type World = {
  gateway: () => Gateway;
  database: () => Database;
  /** Another gateway over the same database, with other settings. */
  withGateway: (
    settings: Record<string, string>,
    run: (gateway: Gateway) => Promise<unknown>,
  ) => Promise<void>;
  /** The SQL statements sent during a call, including those of the token check. */
  statementsOf: (work: () => Promise<unknown>) => Promise<string[]>;
  kind: Database['kind'];
};

/** Runs a suite with a gateway over the database that `prepare` opens. */
export const describeWithGateway = (
  name: string,
  prepare: (open: OpenDatabase) => Promise<Database>,
  define: (world: World) => void,
  settings: Record<string, string> = {},
): void => {
  describeWithDatabase(name, (open, kind) => {
    const statements: string[] = [];
    let database: Database | undefined;
    let gateway: Gateway | undefined;
    const present = <Value>(value: Value | undefined): Value => {
      if (value === undefined) throw new Error('The gateway has not been started yet.');
      return value;
    };

    beforeAll(async () => {
      const onQuery = (sql: string) => statements.push(sql);
      database = await prepare((options) => open({ onQuery, ...options }));
      gateway = await startGateway(database, settings);
    });
    afterAll(async () => {
      await gateway?.stop();
    });

    define({
      gateway: () => present(gateway),
      database: () => present(database),
      withGateway: async (settings, run) => {
        const other = await startGateway(present(database), settings);
        try {
          await run(other);
        } finally {
          await other.stop();
        }
      },
      statementsOf: async (work) => {
        statements.length = 0;
        await work();
        return [...statements];
      },
      kind,
    });
  });
};

/** Runs a suite with the demo world and a gateway. */
export const describeWithDemo = (
  name: string,
  define: (world: World) => void,
  settings: Record<string, string> = {},
): void => describeWithGateway(name, (open) => open({ world: 'demo' }), define, settings);
