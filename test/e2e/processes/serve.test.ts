import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { createDatabase, type TestDatabase } from '../../testkit/database.js';
import { folderOf } from '../../testkit/documents-folder.js';
import {
  type GatewayProcess,
  runCommand,
  startGatewayProcess,
  stopCommands,
} from '../../testkit/gateway-process.js';

const SLOW = 120_000;

// The first call builds the program if it is missing or stale.
beforeAll(async () => {
  expect(await runCommand(['serve', '--check-config'])).toMatchObject({
    code: 0,
    stdout: 'The settings are valid.\nDatabase: embedded, in .flaggraph.\n',
  });
});
afterAll(stopCommands);

const call = async (address: string, token: string | null, init: RequestInit = {}) => {
  const response = await fetch(address, {
    ...init,
    headers: { ...(token !== null && { authorization: token }), ...init.headers },
  });
  const body = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, text: body, body: isJson ? JSON.parse(body) : undefined };
};

const countEvents = async ({ url }: GatewayProcess, token: string): Promise<number> =>
  (await call(`${url}/api/admin/search/events?limit=1`, token)).body.total;

const runQuery = ({ url }: GatewayProcess, token: string | null, query: string) =>
  call(`${url}/graphql`, token, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });

const clone = ({ url }: GatewayProcess, name: string) =>
  call(`${url}/api/admin/projects/default/features/welcome-tour/clone`, DEMO_TOKENS.admin, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });

/** Starts a clone and resolves when the gateway has the headers and waits for the body. */
const beginClone = async ({ url }: GatewayProcess, name: string) => {
  const body = JSON.stringify({ name });
  const sent = request(`${url}/api/admin/projects/default/features/welcome-tour/clone`, {
    method: 'POST',
    headers: {
      authorization: DEMO_TOKENS.admin,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  const responded = once(sent, 'response');
  responded.catch(() => undefined);
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    finish: async () => {
      sent.end(body);
      const [response] = (await responded) as [IncomingMessage];
      const { statusCode: status, headers } = response;
      return { status, headers, body: JSON.parse(await text(response)) };
    },
  };
};

const readiness = ({ url }: GatewayProcess) =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status,
    ({ cause }) => cause.code,
  );

describe('a gateway on the embedded database', { timeout: SLOW }, () => {
  let folder: string;
  let settings: { DATA_DIR: string };
  let gateway: GatewayProcess;
  let events: number;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flaggraph-serve-'));
    settings = { DATA_DIR: join(folder, 'data') };
  });
  afterAll(async () => {
    await stopCommands();
    rmSync(folder, { recursive: true, force: true });
  });

  test('prints its database, its URLs and a demo token at its first start', async () => {
    gateway = await startGatewayProcess(settings);
    await gateway.waitForOutput(/curl .*\n/);
    expect(gateway.stderr()).toContain(`Creating the embedded database in ${settings.DATA_DIR}`);
    expect(gateway.stderr()).toContain('Demo data: ');
    for (const path of ['/graphql', '/api/admin/search/events', '/docs/']) {
      expect(gateway.stdout()).toContain(`${gateway.url}${path}`);
    }

    expect(gateway.stdout()).toContain(
      `Start     ${gateway.url}/   (in a browser; no console: CONSOLE is off)\n`,
    );

    const token = /Demo token \(admin\) +(\S+)\n/.exec(gateway.stdout())?.[1] ?? '';
    events = await countEvents(gateway, token);
    expect(events).toBeGreaterThan(1_000);
    expect((await call(`${gateway.url}/livez`, null)).status).toBe(200);
    expect((await call(`${gateway.url}/readyz`, null)).status).toBe(200);
  });

  test('locks its data folder, but accepts commands from other processes', async () => {
    const [second, tokens] = await Promise.all([
      runCommand(['serve'], { ...settings, PORT: '0' }),
      runCommand(['token', 'list'], settings),
    ]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`${settings.DATA_DIR} is in use by process ${gateway.pid} on`);
    expect(second.stderr).not.toMatch(/^ +at /m);
    expect(tokens).toMatchObject({ code: 0, stderr: '' });
    expect(tokens.stdout).toContain('KIND');
    expect(await countEvents(gateway, DEMO_TOKENS.admin)).toBe(events);
  });

  test('keeps a clone and its event when killed and restarted, and does not reload the demo data', async () => {
    expect((await clone(gateway, 'tour-before-the-kill')).status).toBe(200);
    const known = await countEvents(gateway, DEMO_TOKENS.admin);
    expect(known).toBeGreaterThan(events);
    expect(await gateway.stop('SIGKILL')).toMatchObject({ code: null });

    gateway = await startGatewayProcess({ ...settings, CONSOLE: 'on' });
    expect(await gateway.waitForOutput(/Console .*\n/)).toContain(`Console   ${gateway.url}/ `);
    expect(await gateway.waitForOutput(/Demo token .*\n/)).toContain(DEMO_TOKENS.admin);
    expect(gateway.stderr()).toBe('');
    expect(await countEvents(gateway, DEMO_TOKENS.admin)).toBe(known);
    const { body } = await runQuery(
      gateway,
      DEMO_TOKENS.admin,
      '{ feature(name: "tour-before-the-kill") { project { id } } }',
    );
    expect(body).toEqual({ data: { feature: { project: { id: 'default' } } } });
  });

  test('finishes a request in flight on SIGTERM, accepts no new one, and exits with 0', async () => {
    const { finish } = await beginClone(gateway, 'tour-during-the-stop');
    const ended = gateway.stop('SIGTERM');
    await gateway.waitForOutput(/"msg":"stopping"/);
    await expect
      .poll(() => readiness(gateway))
      .toSatisfy((status) => status === 503 || status === 'ECONNREFUSED');

    expect(await finish()).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
      body: { name: 'tour-during-the-stop' },
    });
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('releases its data folder when it has stopped', async () => {
    const { code, stdout } = await runCommand(['token', 'list'], settings);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^admin +demo-admin +/m);
    expect(stdout).not.toContain(DEMO_TOKENS.admin);
  });
});

describe('a gateway on PostgreSQL', { timeout: SLOW }, () => {
  let database: TestDatabase;
  let settings: { DATABASE_URL: string };
  let secret: string;
  beforeAll(async () => {
    database = await createDatabase();
    settings = { DATABASE_URL: database.url };
  });
  afterAll(async () => {
    await stopCommands();
    await database.drop();
  });

  test('lists no tokens before its tables exist', async () => {
    const { code, stdout, stderr } = await runCommand(['token', 'list'], settings);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: .*Start the gateway once/);
  });

  test('creates its tables in an empty database, without demo data', async () => {
    const gateway = await startGatewayProcess(settings);
    await gateway.waitForOutput(/Database .*\n/);
    expect(gateway.stderr()).toContain('Applying migration');
    expect(gateway.stderr()).not.toContain('Demo');
    expect(gateway.stdout()).not.toMatch(/token/i);
    expect(gateway.stdout()).not.toContain(new URL(settings.DATABASE_URL).password);
    expect((await runQuery(gateway, DEMO_TOKENS.admin, '{ viewer { name } }')).status).toBe(401);

    // Still running: PostgreSQL serves many processes at once.
    const created = await runCommand(['token', 'create', 'admin', '--name', 'ci'], settings);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    secret = created.stdout.trim();
    expect(await countEvents(gateway, secret)).toBe(0);
    const { body } = await runQuery(gateway, secret, '{ viewer { name isAdmin } }');
    expect(body.data.viewer).toEqual({ name: 'ci', isAdmin: true });
    expect(await gateway.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  test('lists its tokens without their secrets', async () => {
    const [table, json] = await Promise.all([
      runCommand(['token', 'list'], settings),
      runCommand(['token', 'list', '--json'], settings),
    ]);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    expect(table.stdout).toMatch(/^admin +ci +\S+… +– +never$/m);
    expect(JSON.parse(json.stdout)).toMatchObject([{ kind: 'admin', name: 'ci', expired: false }]);
    expect(table.stdout + json.stdout).not.toContain(secret);
  });

  test('loads the demo data on request, once', async () => {
    const loaded = await runCommand(['demo'], settings);
    expect(loaded).toMatchObject({ code: 0, stderr: '' });
    expect(Object.values(DEMO_TOKENS).filter((known) => loaded.stdout.includes(known))).toEqual([]);
    const [, admin = ''] = /admin +(\S+)\n/.exec(loaded.stdout) ?? [];
    const [, viewer = ''] = /viewer +(\S+)\n/.exec(loaded.stdout) ?? [];
    const gateway = await startGatewayProcess(settings);
    expect(await countEvents(gateway, admin)).toBeGreaterThan(1_000);
    expect((await runQuery(gateway, viewer, '{ viewer { name } }')).status).toBe(200);
    for (const token of [DEMO_TOKENS.admin, DEMO_TOKENS.rootAdmin, DEMO_TOKENS.viewer]) {
      expect((await runQuery(gateway, token, '{ viewer { name } }')).status).toBe(401);
    }
    await gateway.stop('SIGTERM');
    const again = await runCommand(['demo'], settings);
    expect(again).toMatchObject({ code: 1, stderr: 'error: The demo data is already loaded.\n' });
  });

  test('exits at once on a second signal', async () => {
    const gateway = await startGatewayProcess(settings);
    await beginClone(gateway, 'tour-that-never-comes');
    gateway.stop('SIGTERM');
    await gateway.waitForOutput(/"msg":"stopping"/);
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 1 });
  });

  test('in production rejects demo tokens, introspection without a token and GraphiQL, and logs JSON only', async () => {
    const gateway = await startGatewayProcess({ ...settings, NODE_ENV: 'production' });
    const introspection = '{ __schema { queryType { name } } }';
    const page = await call(`${gateway.url}/graphql`, null, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect([page.status, page.text]).toEqual([303, '']);
    expect((await runQuery(gateway, null, introspection)).status).toBe(401);
    for (const token of [DEMO_TOKENS.admin, DEMO_TOKENS.rootAdmin, DEMO_TOKENS.viewer]) {
      const { status, body } = await runQuery(gateway, token, introspection);
      expect(status).toBe(401);
      expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
      const rest = await call(`${gateway.url}/api/admin/search/events`, token);
      expect([rest.status, rest.body.name]).toEqual([401, 'AuthenticationRequired']);
    }
    expect((await runQuery(gateway, secret, introspection)).status).toBe(200);
    expect(await countEvents(gateway, secret)).toBeGreaterThan(1_000);

    const { code, stdout, stderr } = await gateway.stop('SIGTERM');
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ msg: 'listening', url: gateway.url });
    expect(lines.filter(({ status }) => status === 401)).toHaveLength(7);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'stopping', signal: 'SIGTERM' }));
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain(DEMO_TOKENS.admin);
  });

  test('reports an address in use, and exits', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    try {
      const { code, stdout, stderr } = await runCommand(['serve'], {
        ...settings,
        PORT: String(port),
      });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`address already in use 127.0.0.1:${port}`);
      expect(stderr).toContain('PORT');
      expect(stderr).not.toMatch(/^ +at /m);
    } finally {
      other.close();
    }
  });

  test('reports a database that it cannot reach, without its password', async () => {
    const address = new URL(settings.DATABASE_URL);
    address.pathname = '/no-such-database';
    const { code, stdout, stderr } = await runCommand(['serve'], { DATABASE_URL: address.href });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${address.host}/no-such-database cannot be reached`);
    expect(stderr).not.toContain(address.password);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('the command line', { timeout: SLOW }, () => {
  test('reports all errors in trusted documents before it opens anything', async () => {
    const settings = {
      TRUSTED_DOCUMENTS: folderOf({
        'a.graphql': 'query A { nobody }',
        'b.json': { d41d8cd98f00b204e9800998ecf8427e: 'query B { viewer { name } }' },
      }),
    };
    for (const args of [['serve'], ['serve', '--check-config']]) {
      const { code, stdout, stderr } = await runCommand(args, settings);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/TRUSTED_DOCUMENTS a\.graphql: Cannot query field "nobody"/);
      expect(stderr).toMatch(
        /TRUSTED_DOCUMENTS b\.json: 'd41d\w+': the id is not the md5 hash of its text/,
      );
      expect(stderr).not.toContain('…');
    }
  });

  test('reports all invalid settings at once, without their values', async () => {
    const wrong = {
      DATABASE_URL: 'mysql://ada:secret-word@localhost/flags',
      PORT: 'eighty',
      BASE_PATH: 'secret-word',
      GRAPHIQL: 'secret-word',
      ADMIN_UI_URL: 'secret-word',
      CORS_ORIGINS: 'https://app.example.com,secret-word',
      LOG_LEVEL: 'secret-word',
      STATEMENT_TIMEOUT_MS: '-1',
    };
    const commands = [['serve'], ['token', 'list']];
    const misspelled = { ...wrong, TRUSTED_PROXY: '1' };
    const results = await Promise.all(commands.map((args) => runCommand(args, misspelled)));
    expect(results[0]?.stderr).toContain('  - TRUSTED_PROXY is not a setting. Did you mean');
    for (const { code, stdout, stderr } of results) {
      expect([code, stdout]).toEqual([1, '']);
      for (const name of Object.keys(wrong)) expect(stderr).toContain(`  - ${name} must be `);
      expect(stderr).not.toMatch(/secret-word|eighty|^ +at /m);
    }
  });

  test('prints its version', async () => {
    const { version } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'),
    );
    for (const option of ['--version', '-v']) {
      expect(await runCommand([option])).toMatchObject({ code: 0, stdout: `${version}\n` });
    }
  });

  test('prefers options of serve to environment variables', async () => {
    const settings = { PORT: '4000', DATABASE_URL: 'postgresql://127.0.0.1/flags' };
    const check = ['serve', '--check-config'];
    expect(await runCommand([...check, '--port', '0', '--host', '::1'], settings)).toMatchObject({
      code: 0,
    });
    const wrong = await runCommand([...check, '--port', '70000', '--database-url', 'x'], settings);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/^ {2}- PORT must/m);
    expect(wrong.stderr).toMatch(/^ {2}- DATABASE_URL must/m);
  });

  test('--check-config warns about the embedded database in production', async () => {
    const { code, stdout } = await runCommand(['serve', '--check-config'], {
      NODE_ENV: 'production',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Warning: .*DATABASE_URL/m);
  });

  test('documents every command with --help', async () => {
    const commands = [[], ['serve'], ['token'], ['token', 'create'], ['token', 'list'], ['demo']];
    for (const { code, stdout, stderr } of await Promise.all(
      commands.map((args) => runCommand([...args, '--help'])),
    )) {
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: flaggraph/);
    }
  });

  test('rejects unknown commands, options and arguments', async () => {
    const mistakes = [['sevre'], ['serve', '--prot=1'], ['token', 'create', 'root', '--name=x']];
    for (const { code, stdout, stderr } of await Promise.all(
      mistakes.map((args) => runCommand(args)),
    )) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: /);
    }
  });

  test('is available through npx in the project folder', async () => {
    // npx links a folder once per cache and never renews the link, so another version's link may be in the user's cache.
    const cache = await mkdtemp(join(tmpdir(), 'npx-'));
    onTestFinished(() => rm(cache, { recursive: true, force: true }));
    const { stdout } = await promisify(execFile)('npx', ['flaggraph', '--help'], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { ...process.env, npm_config_cache: cache },
      shell: process.platform === 'win32',
    });
    expect(stdout).toContain('Usage: flaggraph');
  });
});
