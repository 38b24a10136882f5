import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportEvents } from '../../../src/cli/export/export-events.js';
import { prepareFile } from '../../../src/cli/export/file-sink.js';
import { openGateway } from '../../../src/cli/gateway/open-gateway.js';
import { DEMO_TOKENS } from '../../../src/demo/tokens.js';
import type { EventRecord } from '../../../src/export/event-record.js';
import type { EventFilter } from '../../../src/export/filter-options.js';
import { FORMATS, type FormatName } from '../../../src/export/formats.js';
import { describeWithDemo } from '../../testkit/app.js';
import { parseCsv } from '../../testkit/parse-csv.js';

type Setting = {
  url: string;
  output: string;
  filter?: EventFilter;
  format?: FormatName;
  mode?: 'new' | 'force' | 'resume';
  token?: string;
  /** Stops after this many positions, as if the process had been killed. */
  stopAfter?: number;
  /** The same, as soon as this many events are written. */
  stopAt?: number;
  onPause?: (message: string) => void;
  onPlace?: (count: number) => Promise<unknown>;
};

/** Exports over HTTP to a file and returns its content. */
const run = async (setting: Setting): Promise<string> => {
  const {
    url,
    output,
    filter = {},
    format = 'ndjson',
    mode = 'new',
    onPause,
    onPlace: onPosition,
  } = setting;
  const gateway = await openGateway({ url, token: setting.token ?? DEMO_TOKENS.admin, env: {} });
  const prepared = await prepareFile(output, { format, given: filter, mode });
  const sink = prepared.open(filter);
  try {
    let positions = 0;
    for await (const { count } of exportEvents({
      gateway,
      sink,
      filter,
      format,
      from: prepared.resumed?.position ?? null,
      retries: {
        pauses: [1, 1, 1],
        signal: new AbortController().signal,
        onPause: ({ message }) => onPause?.(message),
      },
    })) {
      positions += 1;
      await onPosition?.(count);
      if (positions === setting.stopAfter || count >= (setting.stopAt ?? Infinity)) break;
    }
  } finally {
    await sink.close();
  }
  return readFileSync(output, 'utf8');
};

const recordsOf = (text: string): EventRecord[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const idsOf = (text: string) => recordsOf(text).map(({ id }) => id);

describeWithDemo('an export', ({ gateway, database }) => {
  let folder: string;
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flaggraph-export-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const freshFile = () => join(folder, `${++files}.out`);
  const through = (setting: Partial<Setting> = {}) =>
    run({ url: gateway().url, output: freshFile(), ...setting });
  const rows = (where = {}) =>
    database().client.event.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } });

  test('contains every event once, oldest first, with all recorded values', async () => {
    const records = recordsOf(await through());
    const stored = await database().client.event.findMany({ orderBy: { id: 'asc' } });
    const grouped = await database().client.$queryRaw<{ id: number; group: object }[]>`
      select id, json_build_object('type', group_type, 'id', group_id) as "group" from events
      where group_id is not null`;
    const groupOf = new Map(grouped.map(({ id, group }) => [id, group]));
    expect(records.length).toBeGreaterThan(1_000);
    expect(groupOf.size).toBeGreaterThan(50);
    expect(
      records.map(({ label: _label, summary: _summary, tags: _tags, ...record }) => record),
    ).toEqual(
      stored.map((event) => ({
        id: event.id,
        createdAt: event.createdAt?.toISOString(),
        typeName: event.type,
        createdBy: event.createdBy,
        createdByUserId: event.createdByUserId,
        projectId: event.projectId,
        featureName: event.featureName,
        environmentName: event.environment,
        data: event.data,
        preData: event.preData,
        ip: event.ip,
        group: groupOf.get(event.id) ?? null,
      })),
    );
    const { data } = await gateway().graphql('{ events(first: 1) { nodes { label summary } } }');
    expect(records.at(-1)).toMatchObject(data.events.nodes[0]);
  });

  test('contains the same as CSV', async () => {
    const records = recordsOf(await through());
    const [header, ...lines] = parseCsv(await through({ format: 'csv' }));
    const names = Object.keys(records[0] ?? {});
    expect(header).toEqual(
      names.flatMap((name) => (name === 'group' ? ['groupType', 'groupId'] : [name])),
    );
    expect(lines.map(([id]) => Number(id))).toEqual(records.map(({ id }) => id));
    const column = header?.indexOf('data') ?? -1;
    expect(lines.map((cells) => JSON.parse(cells[column] ?? 'null'))).toEqual(
      records.map(({ data }) => data),
    );
  });

  test('contains only events that match the filter', async () => {
    const [first, second] = (await rows({ type: 'feature-created' })).map(({ id }) => id);
    const expected = await rows({ type: 'feature-created', projectId: 'default' });
    const filter = { type: { is: 'FEATURE_CREATED' }, projectId: { is: 'default' } };
    expect(expected.length).toBeGreaterThan(0);
    expect(idsOf(await through({ filter }))).toEqual(expected.map(({ id }) => id));

    const byId = { type: { is: 'FEATURE_CREATED' }, id: { before: second } };
    expect(idsOf(await through({ filter: byId }))).toEqual([first]);
    expect(await through({ filter: { featureName: { is: 'no-such-feature' } } })).toBe('');
    const csv = await through({
      filter: { featureName: { is: 'no-such-feature' } },
      format: 'csv',
    });
    expect(csv).toBe(FORMATS.csv.header);
  });

  test('matches text as event search does', async () => {
    const { data } = await gateway().graphql(
      '{ events(first: 1000, filter: { text: "rollout" }) { nodes { id } } }',
    );
    const found: number[] = data.events.nodes.map(({ id }: { id: number }) => id).reverse();
    expect(found.length).toBeGreaterThan(0);
    expect(idsOf(await through({ filter: { text: 'rollout' } }))).toEqual(found);
  });

  test('contains only what the caller may see in event search', async () => {
    const records = recordsOf(await through({ token: DEMO_TOKENS.noRole }));
    expect(records.map(({ id }) => id)).toEqual(
      (await rows({ projectId: { not: null } })).map(({ id }) => id),
    );
    expect(records.filter(({ ip }) => ip !== null)).toEqual([]);
    expect((await rows({ projectId: null })).length).toBeGreaterThan(0);
  });

  test('ends with the newest event at its start', async () => {
    const before = (await rows()).map(({ id }) => id);
    const added: number[] = [];
    const exported = await through({
      onPlace: async () => {
        const data = { type: 'feature-updated', createdBy: 'late', projectId: 'default' };
        added.push((await database().client.event.create({ data })).id);
      },
    });
    await database().client.event.deleteMany({ where: { id: { in: added } } });
    expect(added.length).toBeGreaterThan(2);
    expect(idsOf(exported)).toEqual(before);
  });

  describe.each(['ndjson', 'csv'] as const)('that was interrupted (%s)', (format) => {
    test('at any position is byte-identical after a resume', async () => {
      let total = 0;
      const onPlace = async (count: number) => {
        total = count;
      };
      const full = await through({ format, onPlace });
      for (const stopAt of [0, 1, Math.ceil(total / 2), total]) {
        const output = freshFile();
        await through({ output, format, stopAt });
        expect(existsSync(`${output}.resume`)).toBe(true);
        // A process that is killed during a write leaves a partial page.
        appendFileSync(output, '{"id": 99');

        expect(await through({ output, format, mode: 'resume' })).toBe(full);
        expect(existsSync(`${output}.resume`)).toBe(false);
      }
    });
  });

  test('can be resumed after it was killed before its first page', async () => {
    const full = await through({ format: 'csv' });
    const resumed = (output: string) => through({ output, format: 'csv', mode: 'resume' });
    const empty = freshFile();
    writeFileSync(empty, '');
    expect(await resumed(empty)).toBe(full);

    const output = freshFile();
    const prepared = await prepareFile(output, { format: 'csv', given: {}, mode: 'new' });
    const sink = prepared.open({});
    const position = { upTo: 7, after: null, count: 0 };
    const writing = sink.write('a header that is long in coming'.repeat(2_000_000), position);
    while (!existsSync(`${output}.resume`)) await setImmediate();
    const resumeState = readFileSync(`${output}.resume`, 'utf8');
    expect(JSON.parse(resumeState)).toMatchObject({ bytes: 0, count: 0, after: null });
    await writing;
    await sink.close();
    writeFileSync(`${output}.resume`, resumeState);
    expect(await resumed(output)).toBe(full);

    rmSync(output);
    writeFileSync(`${output}.resume`, resumeState);
    expect(await resumed(output)).toBe(full);
  });

  test('can be resumed several times, but not when it is complete', async () => {
    const output = freshFile();
    await through({ output, mode: 'resume', stopAfter: 2 });
    await through({ output, mode: 'resume', stopAfter: 2 });
    expect(await through({ output, mode: 'resume' })).toBe(await through());
    await expect(through({ output, mode: 'resume' })).rejects.toThrow('Nothing to resume');
  });

  test('is not resumed as CSV when an older version wrote other columns', async () => {
    const output = freshFile();
    await through({ output, format: 'csv', mode: 'new', stopAfter: 2 });
    const content = readFileSync(output, 'utf8');
    writeFileSync(output, content.replace(',groupType,groupId', ',somethingElse____'));
    await expect(through({ output, format: 'csv', mode: 'resume' })).rejects.toThrow(
      'writes other columns',
    );
    writeFileSync(output, content);
    expect(await through({ output, format: 'csv', mode: 'resume' })).toBe(
      await through({ format: 'csv' }),
    );
  });

  test('is not resumed with another filter, another format or another file', async () => {
    const output = freshFile();
    const filter = { projectId: { is: 'default' }, type: { is: 'FEATURE_CREATED' } };
    const part = await through({ output, filter, stopAfter: 1 });
    const expectRejected = (setting: Partial<Setting>) =>
      expect(through({ output, mode: 'resume', filter, ...setting })).rejects;

    await expectRejected({ filter: { projectId: { is: 'default' } } }).toThrow(
      'started with another filter',
    );
    await expectRejected({ format: 'csv' }).toThrow('started as ndjson');
    await expectRejected({ mode: 'new' }).toThrow('is an unfinished export');
    expect(readFileSync(output, 'utf8')).toBe(part);

    const resumeState = readFileSync(`${output}.resume`, 'utf8');
    writeFileSync(`${output}.resume`, resumeState.replace(/"bytes":\d+/, '"bytes":123456789'));
    await expectRejected({}).toThrow('is shorter than');
    writeFileSync(`${output}.resume`, '{"version": 1');
    await expectRejected({}).toThrow('was not written by this version');

    const sameInAnotherOrder = { type: { is: 'FEATURE_CREATED' }, projectId: { is: 'default' } };
    writeFileSync(`${output}.resume`, resumeState);
    expect(await through({ output, mode: 'resume', filter: sameInAnotherOrder })).toBe(
      await through({ filter }),
    );
  });

  test('does not overwrite files unless forced', async () => {
    const output = freshFile();
    writeFileSync(output, 'precious');
    await expect(through({ output })).rejects.toThrow('already exists');
    expect(readFileSync(output, 'utf8')).toBe('precious');
    const brokenLink = freshFile();
    symlinkSync(join(folder, 'nowhere'), brokenLink);
    await expect(through({ output: brokenLink })).rejects.toThrow('a broken link');
    expect(await through({ output, mode: 'force' })).toBe(await through());
  });

  test('does not touch the file when the gateway rejects the token', async () => {
    const output = freshFile();
    await expect(through({ output, token: 'user:nobody' })).rejects.toThrow('token');
    expect(existsSync(output)).toBe(false);
    writeFileSync(output, 'precious');
    await expect(through({ output, token: 'user:nobody', mode: 'force' })).rejects.toThrow('token');
    expect(readFileSync(output, 'utf8')).toBe('precious');
  });

  describe('over an unreliable connection', () => {
    let line: Server;
    let url: string;
    let calls: number;
    /** Decides the result of a request by its index. */
    let outcomeOf: (call: number) => 'pass' | 'refuse' | 'cut' | 'drop';
    beforeAll(async () => {
      line = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const what = outcomeOf(++calls);
        if (what === 'drop') return request.socket.destroy();
        if (what === 'refuse') return response.writeHead(503).end('busy');
        const { method = 'GET', headers } = request;
        const result = await fetch(`${gateway().url}${request.url}`, {
          method,
          headers: {
            accept: String(headers.accept),
            authorization: String(headers.authorization),
            ...(method === 'POST' && { 'content-type': 'application/json' }),
          },
          ...(method === 'POST' && { body: Buffer.concat(chunks) }),
        });
        const body = Buffer.from(await result.arrayBuffer());
        const type = result.headers.get('content-type') ?? '';
        response.writeHead(result.status, { 'content-type': type });
        if (what === 'pass') return response.end(body);
        return response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
      });
      await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
    });
    afterAll(() => line.close());

    test('retries and is byte-identical', async () => {
      calls = 0;
      outcomeOf = (call) => (['drop', 'refuse', 'cut', 'pass'] as const)[call % 4] ?? 'pass';
      const messages: string[] = [];
      const exported = await through({ url, onPause: (message) => messages.push(message) });
      expect(exported).toBe(await through());
      expect(messages.length).toBeGreaterThan(3);
      expect(messages.join('\n')).toContain('cannot be reached');
      expect(messages.join('\n')).toContain('status 503');
    });

    test('does not write what is not an export', async () => {
      const page = createServer((request, response) => {
        if (request.method === 'POST') {
          const eventLog = { settledId: 5, canSettle: true, cursor: 'x' };
          return response.end(JSON.stringify({ data: { eventLog } }));
        }
        return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Unleash</p>\n');
      });
      await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
      const output = freshFile();
      const address = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
      await expect(through({ url: address, output })).rejects.toThrow(
        'did not respond with an export (status 200)',
      );
      expect(readFileSync(output, 'utf8')).toBe('');
      page.close();
    });

    test('fails after a few retries, and can be resumed', async () => {
      calls = 0;
      // The first request finds the end of the log.
      outcomeOf = (call) => (call <= 1 ? 'pass' : call === 2 ? 'cut' : 'drop');
      const output = freshFile();
      await expect(through({ url, output })).rejects.toThrow(/cannot be reached: /);
      expect(calls).toBe(5);
      expect(readFileSync(output, 'utf8')).toMatch(/\}\n$/);
      outcomeOf = () => 'pass';
      expect(await through({ url, output, mode: 'resume' })).toBe(await through());
    });
  });
});
