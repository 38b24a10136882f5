import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { followEvents } from '../../../src/cli/tail/follow-events.js';
import { readLatest } from '../../../src/cli/tail/read-latest.js';
import { openDatabase } from '../../../src/data/connect.js';
import type { PrismaClient } from '../../../src/data/db.js';
import { loadDemoData } from '../../../src/demo/load-demo-data.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import { describeWithDemo, startGateway } from '../../testkit/app.js';
import { createMigratedDatabase, type TestDatabase } from '../../testkit/database.js';
import {
  runCommand,
  startCommand,
  startGatewayProcess,
  stopCommands,
} from '../../testkit/gateway-process.js';

const SLOW = 240_000;
const FILTER = { featureName: { is: 'followed' } };

const record = async (db: PrismaClient, featureName = 'followed'): Promise<number> => {
  const { id } = await db.event.create({
    data: { type: 'feature-updated', createdBy: 'somebody', projectId: 'default', featureName },
  });
  return id;
};

describeWithDemo('tail through a gateway', ({ gateway, database }) => {
  const db = () => database().client;
  let stop: AbortController;
  afterEach(() => stop.abort());

  /** Follows in the background and collects event IDs. */
  const follow = async (
    url: string,
    { last = 0, token = DEMO_TOKENS.admin as string, filter = FILTER } = {},
  ) => {
    stop = new AbortController();
    const { signal } = stop;
    const client = await openGateway({ url, token, env: {} });
    const latest = await readLatest(client, {
      filter,
      last,
      signal,
      onWait: () => undefined,
    });
    const ids = latest.events.map(({ node }) => node.id);
    const pauses: string[] = [];
    const ended = (async () => {
      for await (const { node } of followEvents(client, {
        filter,
        after: latest.cursor,
        signal,
        pauses: [100],
        onPause: ({ message }) => pauses.push(message),
        onGap: () => pauses.push('gap'),
      })) {
        ids.push(node.id);
      }
    })();
    ended.catch(() => undefined);
    return { ids, pauses, ended };
  };

  test('returns the newest matching events, then every new one once and in order', async () => {
    const old = [await record(db()), await record(db()), await record(db())];
    const { ids } = await follow(gateway().url, { last: 2 });
    expect(ids).toEqual(old.slice(1));
    await record(db(), 'another');
    const fresh = [await record(db()), await record(db())];
    await expect.poll(() => ids).toEqual([...old.slice(1), ...fresh]);
  });

  test('misses and repeats nothing while the gateway restarts', async () => {
    const first = await startGateway(database());
    const { ids, pauses } = await follow(first.url);
    const recorded = [await record(db())];
    await expect.poll(() => ids).toEqual(recorded);
    await first.stop();
    recorded.push(await record(db()), await record(db()));
    await expect.poll(() => pauses.join()).toContain('cannot be reached');

    const second = await startGateway(database(), { PORT: new URL(first.url).port });
    recorded.push(await record(db()));
    await expect.poll(() => ids).toEqual(recorded);
    expect(pauses[0]).toBe('The gateway closed the stream.');
    expect(pauses).not.toContain('gap');
    stop.abort();
    await second.stop();
  });

  test('resumes from its start when the stream ends before the first event', async () => {
    const first = await startGateway(database());
    const { ids, pauses } = await follow(first.url);
    await first.stop();
    const recorded = [await record(db())];
    const second = await startGateway(database(), { PORT: new URL(first.url).port });
    await expect.poll(() => ids).toEqual(recorded);
    expect(pauses).not.toContain('gap');
    stop.abort();
    await second.stop();
  });

  test('resumes from its start when nothing has matched so far', async () => {
    const first = await startGateway(database());
    const filter = { featureName: { is: 'never-seen-before' } };
    const { ids, pauses } = await follow(first.url, { filter });
    await first.stop();
    const recorded = [await record(db(), 'never-seen-before')];
    const second = await startGateway(database(), { PORT: new URL(first.url).port });
    recorded.push(await record(db(), 'never-seen-before'));
    await expect.poll(() => ids).toEqual(recorded);
    expect(pauses).not.toContain('gap');
    stop.abort();
    await second.stop();
  });

  test('ends when the token is revoked', async () => {
    const secret = 'user:short-lived';
    await db().personalAccessToken.create({
      data: { secret, userId: 1, description: 'short', expiresAt: new Date('2099-01-01') },
    });
    const { ended, ids } = await follow(gateway().url, { token: secret });
    const id = await record(db());
    await expect.poll(() => ids).toEqual([id]);
    await db().personalAccessToken.deleteMany({ where: { secret } });
    await expect(ended).rejects.toMatchObject({ code: 'UNAUTHENTICATED', isTransient: false });
  });
});

describe('flaggraph tail', { timeout: SLOW }, () => {
  const PROGRAM = fileURLToPath(new URL('../../../scripts/build-and-run.mjs', import.meta.url));
  let database: TestDatabase;
  let settings: { DATABASE_URL: string };
  let db: PrismaClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    settings = { DATABASE_URL: database.url };
    const opened = await openDatabase({ databaseUrl: database.url, dataDir: 'memory://' });
    db = opened.client;
    close = opened.close;
    await loadDemoData(db, { now: new Date() });
  });
  afterAll(async () => {
    await stopCommands();
    await close();
    await database.drop();
  });

  test('prints readable lines, exits with 0 on a signal, and resumes with --after', async () => {
    const server = await startGatewayProcess(settings);
    const created = await runCommand(['token', 'create', 'admin', '--name', 'tail'], settings);
    const env = { FLAGGRAPH_TOKEN: created.stdout.trim() };
    const args = ['tail', '--url', server.url, '--feature', 'followed'];
    await record(db);
    const tail = startCommand([...args, '--last', '5'], env);
    await tail.waitForOutput(/\n/);
    await record(db);
    await tail.waitForOutput(/\n.*\n/);
    const ended = await tail.stop('SIGINT');
    expect(ended.code).toBe(0);
    const LINE =
      /^\d{4}-\d\d-\d\dT[\d:]+Z {2}Feature updated {2}somebody {2}default\/followed {2}somebody updated feature followed in project default$/;
    const lines = ended.stdout.trimEnd().split('\n');
    expect(lines).toEqual([expect.stringMatching(LINE), expect.stringMatching(LINE)]);

    const cursor = /--after (\S+)\n$/.exec(ended.stderr)?.[1] ?? '';
    const id = await record(db);
    const again = startCommand([...args, '--after', cursor, '--format', 'ndjson'], env);
    await again.waitForOutput(/\n/);
    const { code, stdout } = await again.stop('SIGTERM');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id, typeName: 'feature-updated', ip: null });

    const foreign = await runCommand([...args, '--project', 'default', '--after', cursor], env);
    expect(foreign).toMatchObject({ code: 1, stdout: '' });
    expect(foreign.stderr).toContain("'after' is a cursor of another list, or of another filter");
    const unknownToken = await runCommand(args, { FLAGGRAPH_TOKEN: 'user:nobody' });
    expect(unknownToken).toMatchObject({ code: 1, stdout: '' });
    expect(unknownToken.stderr).toMatch(
      /^error: The gateway returned an error: The token is unknown/,
    );
  });

  test('follows PostgreSQL without a gateway, until the reader closes the pipe', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const read = promisify(execFile)(
      'sh',
      ['-c', `{ $FLAGGRAPH tail --type FEATURE_UPDATED; echo "status $?" >&2; } | head -n 1`],
      { env: { PATH, HOME, ...settings, FLAGGRAPH: `${process.execPath} ${PROGRAM}` } },
    );
    const recording = setInterval(() => record(db), 500);
    const { stdout, stderr } = await read.finally(() => clearInterval(recording));
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toBe('status 0\n');
  });

  test('rejects an embedded database, which no other process can write to', async () => {
    const ended = await runCommand(['tail']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('with --url');
  });
});
