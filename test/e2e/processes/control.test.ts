import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ControlAddress, controlAddress } from '../../../src/cli/control/control-address.js';
import { type ControlServer, startControlServer } from '../../../src/cli/control/control-server.js';
import { type Database, openDatabase } from '../../../src/data/connect.js';
import { createEmbeddedFolder, embeddedTemplate } from '../../testkit/database.js';
import { runCommand, startGatewayProcess, stopCommands } from '../../testkit/gateway-process.js';

const SLOW = 240_000;

const socketsIn = (folder: string) =>
  readdirSync(folder).filter((name) => name.startsWith('control-'));

const post = ({ path, token }: ControlAddress, body: string) =>
  new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const sent = request(
      { socketPath: path, method: 'POST', headers: { authorization: `Bearer ${token}` } },
      async (response) =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) }),
    );
    sent.on('error', reject);
    sent.end(body);
  });

describe('the control socket', () => {
  let dataDir: string;
  let database: Database;
  let server: ControlServer | null = null;
  let errors: unknown[] = [];
  const start = async () => {
    errors = [];
    server = await startControlServer({
      dataDir,
      database,
      onRequest: () => undefined,
      onError: (error) => errors.push(error),
    });
    return controlAddress(dataDir) as ControlAddress;
  };
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'flaggraph-control-'));
    chmodSync(dataDir, 0o755);
    database = await openDatabase({ dataDir, embeddedTemplate: embeddedTemplate() });
  });
  afterEach(async () => {
    await server?.close();
    server = null;
  });
  afterAll(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true });
  });

  test('is accessible to its owner only, whatever the umask and the folder allow', async () => {
    const mask = process.umask(0);
    const { path } = await start().finally(() => process.umask(mask));
    const { mode } = statSync(path);
    expect(statSync(path).isSocket()).toBe(true);
    expect((mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(dataDir, 'lock')).mode & 0o777).toString(8)).toBe('600');
  });

  test('is removed when the server stops', async () => {
    const { path } = await start();
    await server?.close();
    await expect.poll(() => existsSync(path)).toBe(false);
  });

  test('replaces sockets that a killed server left behind, and no other file', async () => {
    const { path } = await start();
    const other = join(dataDir, 'control-0123456789ab.sock');
    writeFileSync(other, 'not a socket');
    // A server that never closed its socket, as after kill -9.
    const stale = server;
    await start();
    expect(socketsIn(dataDir).sort()).toEqual(
      [path, other].map((file) => file.slice(dataDir.length + 1)).sort(),
    );
    expect(
      (
        await post(
          { path, token: (controlAddress(dataDir) as ControlAddress).token },
          JSON.stringify({ operation: 'listTokens' }),
        )
      ).status,
    ).toBe(200);
    await stale?.close();
    rmSync(other);
  });

  test('rejects requests without the token of the folder lock', async () => {
    const { path } = await start();
    const list = JSON.stringify({ operation: 'listTokens' });
    for (const token of ['', 'x', crypto.randomUUID()]) {
      expect(await post({ path, token }, list)).toEqual({
        status: 401,
        body: { error: 'Authentication required.' },
      });
    }
  });

  test.each([
    ['no JSON', '{'],
    ['an unknown operation', '{"operation":"dropTables"}'],
    ['an unknown key', '{"operation":"listTokens","sql":"select 1"}'],
    [
      'a token of an unknown kind',
      '{"operation":"createToken","input":{"kind":"root","name":"x"}}',
    ],
  ])('rejects %s', async (_, body) => {
    const address = await start();
    const count = await database.client.apiToken.count();
    expect((await post(address, body)).status).toBe(400);
    expect(await database.client.apiToken.count()).toBe(count);
    expect(errors).toEqual([]);
  });

  test('rejects requests over 64 KiB', async () => {
    const address = await start();
    const body = JSON.stringify({ operation: 'listTokens', padding: 'x'.repeat(70_000) });
    expect((await post(address, body)).status).toBe(413);
  });

  test('returns the message of a rejected command', async () => {
    const address = await start();
    const input = { kind: 'client', name: 'x', environment: 'moon' };
    const { status, body } = await post(
      address,
      JSON.stringify({ operation: 'createToken', input }),
    );
    expect(status).toBe(422);
    expect(body).toEqual({ error: expect.stringContaining("no environment 'moon'") });
  });

  test('does not reveal unexpected errors', async () => {
    const failing = {
      ...database,
      client: new Proxy(database.client, {
        get: () => {
          throw new Error('secret detail');
        },
      }),
    };
    server = await startControlServer({
      dataDir,
      database: failing,
      onRequest: () => undefined,
      onError: (error) => errors.push(error),
    });
    const { status, body } = await post(
      controlAddress(dataDir) as ControlAddress,
      JSON.stringify({ operation: 'listTokens' }),
    );
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret detail');
    expect(errors).toEqual([expect.objectContaining({ message: 'secret detail' })]);
  });
});

describe('commands beside a running embedded server', { timeout: SLOW }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'flaggraph-beside-'));
  const settings = { DATA_DIR: join(folder, 'data') };
  beforeAll(() => createEmbeddedFolder(settings.DATA_DIR, 'demo'));
  afterAll(async () => {
    await stopCommands();
    rmSync(folder, { recursive: true, force: true });
  });

  test('create, list and revoke tokens through the server, which accepts and rejects them at once', async () => {
    const gateway = await startGatewayProcess(settings);
    const created = await runCommand(['token', 'create', 'admin', '--name', 'beside'], settings);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const token = created.stdout.trim();
    expect(token).toMatch(/^\*:\*\.[0-9a-f]{56}$/);
    const statusOfSearch = async () =>
      (
        await fetch(`${gateway.url}/api/admin/search/events?limit=1`, {
          headers: { authorization: token },
        })
      ).status;
    expect(await statusOfSearch()).toBe(200);

    const listed = await runCommand(['token', 'list', '--json'], settings);
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ kind: 'admin', name: 'beside', expiresAt: null }),
    );
    const table = await runCommand(['token', 'list'], settings);
    expect(table.stdout).toMatch(/^KIND +NAME +SECRET +OWNER +EXPIRES\n/);
    expect(table.stdout).toMatch(/^personal .* \d{4}-\d\d-\d\d/m);

    const revoked = await runCommand(['token', 'revoke', 'beside'], settings);
    expect(revoked.stdout).toContain("Revoked admin token 'beside'");
    expect(await statusOfSearch()).toBe(401);

    const rejected = await runCommand(
      ['token', 'create', 'personal', '--name', 'x', '--user', 'nobody'],
      settings,
    );
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain("no user 'nobody'");

    const through = await runCommand(['doctor', '--json'], settings);
    const grants = await runCommand(['doctor', '--print-grants'], settings);
    const indexes = await runCommand(['doctor', '--apply-indexes'], settings);
    expect(indexes).toMatchObject({ code: 3, stdout: '' });
    expect(indexes.stderr).toContain('Stop the server');
    expect(gateway.stdout() + gateway.stderr()).not.toContain(token.slice(-20));

    expect(socketsIn(settings.DATA_DIR)).toHaveLength(1);
    await gateway.stop('SIGTERM');
    expect(socketsIn(settings.DATA_DIR)).toEqual([]);

    const direct = await runCommand(['doctor', '--json'], settings);
    expect(through.code).toBe(direct.code);
    expect(JSON.parse(through.stdout)).toEqual(JSON.parse(direct.stdout));
    expect(await runCommand(['doctor', '--print-grants'], settings)).toEqual(grants);
  });

  test('work directly after a server was killed, and through the next one', async () => {
    const killed = await startGatewayProcess(settings);
    const [stale] = socketsIn(settings.DATA_DIR);
    await killed.stop('SIGKILL');
    expect(socketsIn(settings.DATA_DIR)).toEqual([stale]);
    expect(await runCommand(['token', 'list'], settings)).toMatchObject({ code: 0, stderr: '' });

    const next = await startGatewayProcess(settings);
    expect(socketsIn(settings.DATA_DIR)).toHaveLength(1);
    expect(socketsIn(settings.DATA_DIR)).not.toEqual([stale]);
    expect(await runCommand(['token', 'list'], settings)).toMatchObject({ code: 0, stderr: '' });
    const second = await runCommand(['serve'], { ...settings, PORT: '0' });
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`${settings.DATA_DIR} is in use by process ${next.pid} on`);
    expect(await runCommand(['token', 'list'], settings)).toMatchObject({ code: 0 });
    await next.stop('SIGTERM');
  });
});
