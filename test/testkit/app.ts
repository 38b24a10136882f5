import { Writable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../../src/app.js';
import { type Config, loadConfig } from '../../src/config/config.js';
import type { Database } from '../../src/data/connect.js';
import { loadDemoWorld } from '../../src/demo/load-demo-world.js';
import { DEMO_TOKENS, isDemoToken } from '../../src/demo/tokens.js';
import { schema } from '../../src/graphql/schema/index.js';
import { loadTrustedDocuments } from '../../src/graphql/trusted-documents/trusted-documents.js';
import { createLogger } from '../../src/observability/logger.js';
import { startServer } from '../../src/server.js';
import { describeOnBothDatabases } from './database.js';

/** The day on which the demo world of the tests was loaded. */
export const DEMO_DAY = new Date('2026-03-02T12:00:00Z');

type Call = {
  /** A token; null sends none. Default: the admin's of the demo world. */
  token?: string | null;
  headers?: Record<string, string>;
};

type RestCall = Call & { method?: string; body?: unknown; rawBody?: string | Buffer };

export type RestResult = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared with what a test expects of them.
  body: any;
};

export type GraphqlResult = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared with what a test expects of them.
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: errors carry extensions of any shape.
  errors: any[] | undefined;
};

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A gateway on a port of its own, over a database that a test brings. */
export const startGateway = async (database: Database, settings: Record<string, string> = {}) => {
  const config: Config = loadConfig({ PORT: '0', LOG_LEVEL: 'info', ...settings });
  const log: string[] = [];
  const destination = new Writable({
    write: (line, _encoding, done) => {
      log.push(String(line));
      done();
    },
  });
  const logger = createLogger({ level: config.logLevel, pretty: false, destination });
  const app = createApp({
    config,
    database,
    logger,
    documents: config.trustedDocuments && loadTrustedDocuments(schema, config.trustedDocuments),
    demo: { isDemoToken, tokens: DEMO_TOKENS },
  });
  const server = await startServer(app, config, logger);

  const request = async (path: string, init: RequestInit, call: Call) => {
    const token = call.token === undefined ? DEMO_TOKENS.admin : call.token;
    const response = await fetch(`${server.url}${config.basePath}${path}`, {
      ...init,
      redirect: 'manual',
      headers: {
        // A process that the embedded database keeps busy for seconds closes idle connections just when they are used.
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
    stop: server.stop,
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

/** Runs a suite on both databases, each with the demo world and a gateway in front of it. */
export const describeDemoOnBothDatabases = (
  name: string,
  define: (world: {
    gateway: () => Gateway;
    database: () => Database;
    /** The SQL statements sent while something is done, those of the token check included. */
    statementsOf: (work: () => Promise<unknown>) => Promise<string[]>;
    kind: Database['kind'];
  }) => void,
  settings: Record<string, string> = {},
): void => {
  describeOnBothDatabases(name, (open, kind) => {
    const statements: string[] = [];
    let database: Database | undefined;
    let gateway: Gateway | undefined;
    const present = <Value>(value: Value | undefined): Value => {
      if (value === undefined) throw new Error('The gateway has not been started yet.');
      return value;
    };

    beforeAll(async () => {
      database = await open({ onQuery: (sql) => statements.push(sql) });
      await loadDemoWorld(database.client, { now: DEMO_DAY });
      gateway = await startGateway(database, settings);
    });
    afterAll(async () => {
      await gateway?.stop();
    });

    define({
      gateway: () => present(gateway),
      database: () => present(database),
      statementsOf: async (work) => {
        statements.length = 0;
        await work();
        return [...statements];
      },
      kind,
    });
  });
};
