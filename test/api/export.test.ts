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
import type { EventRecord } from '../../src/cli/events/event-record.js';
import type { EventFilter } from '../../src/cli/events/filter-options.js';
import { exportEvents } from '../../src/cli/export/export-events.js';
import { openFileSink } from '../../src/cli/export/file-sink.js';
import { FORMATS, type FormatName } from '../../src/cli/export/formats.js';
import { openGateway } from '../../src/cli/gateway/open-gateway.js';
import { DEMO_TOKENS } from '../../src/demo/tokens.js';
import { describeDemoOnBothDatabases } from '../testkit/app.js';
import { parseCsv } from '../testkit/parse-csv.js';

type Setting = {
  url: string;
  output: string;
  filter?: EventFilter;
  format?: FormatName;
  mode?: 'new' | 'force' | 'resume';
  token?: string;
  /** Ends after so many places, as if the process had been killed. */
  stopAfter?: number;
  onPause?: (message: string) => void;
  onPlace?: (count: number) => Promise<unknown>;
};

/** Exports through HTTP into a file; answers what the file holds. */
const run = async (setting: Setting): Promise<string> => {
  const { url, output, filter = {}, format = 'ndjson', mode = 'new', onPause, onPlace } = setting;
  const gateway = await openGateway({ url, token: setting.token ?? DEMO_TOKENS.admin, env: {} });
  const { sink, place } = await openFileSink(output, { format, filter, mode });
  try {
    let places = 0;
    for await (const { count } of exportEvents({
      gateway,
      sink,
      filter,
      format,
      from: place,
      retries: {
        pauses: [1, 1, 1],
        signal: new AbortController().signal,
        onPause: ({ message }) => onPause?.(message),
      },
    })) {
      places += 1;
      await onPlace?.(count);
      if (places === setting.stopAfter) break;
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

describeDemoOnBothDatabases('an export', ({ gateway, database }) => {
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

  test('holds every event once, oldest first, with all that was recorded', async () => {
    const records = recordsOf(await through());
    const stored = await database().client.event.findMany({ orderBy: { id: 'asc' } });
    expect(records.length).toBeGreaterThan(1_000);
    expect(
      records.map(({ label: _label, summary: _summary, tags: _tags, ...facts }) => facts),
    ).toEqual(
      stored.map((event) => ({
        id: event.id,
        createdAt: event.createdAt?.toISOString(),
        type: event.type,
        createdBy: event.createdBy,
        createdByUserId: event.createdByUserId,
        project: event.projectId,
        featureName: event.featureName,
        environment: event.environment,
        data: event.data,
        preData: event.preData,
        ip: event.ip,
      })),
    );
    const { data } = await gateway().graphql('{ events(first: 1) { nodes { label summary } } }');
    expect(records.at(-1)).toMatchObject(data.events.nodes[0]);
  });

  test('is the same as CSV', async () => {
    const records = recordsOf(await through());
    const [header, ...lines] = parseCsv(await through({ format: 'csv' }));
    expect(header).toEqual(Object.keys(records[0] ?? {}));
    expect(lines.map(([id]) => Number(id))).toEqual(records.map(({ id }) => id));
    const column = header?.indexOf('data') ?? -1;
    expect(lines.map((cells) => JSON.parse(cells[column] ?? 'null'))).toEqual(
      records.map(({ data }) => data),
    );
  });

  test('holds only what the filter lets through', async () => {
    const [first, second] = (await rows({ type: 'feature-created' })).map(({ id }) => id);
    const expected = await rows({ type: 'feature-created', projectId: 'default' });
    const filter = { type: { is: 'FEATURE_CREATED' }, project: { is: 'default' } };
    expect(expected.length).toBeGreaterThan(0);
    expect(idsOf(await through({ filter }))).toEqual(expected.map(({ id }) => id));

    const byId = { type: { is: 'FEATURE_CREATED' }, id: { to: second } };
    expect(idsOf(await through({ filter: byId }))).toEqual([first]);
    expect(await through({ filter: { feature: { is: 'no-such-feature' } } })).toBe('');
    const csv = await through({ filter: { feature: { is: 'no-such-feature' } }, format: 'csv' });
    expect(csv).toBe(FORMATS.csv.header);
  });

  test('finds a text wherever the search does', async () => {
    const { data } = await gateway().graphql(
      '{ events(first: 1000, filter: { text: "rollout" }) { nodes { id } } }',
    );
    const found: number[] = data.events.nodes.map(({ id }: { id: number }) => id).reverse();
    expect(found.length).toBeGreaterThan(0);
    expect(idsOf(await through({ filter: { text: 'rollout' } }))).toEqual(found);
  });

  test('shows nobody more than the search does', async () => {
    const records = recordsOf(await through({ token: DEMO_TOKENS.viewer }));
    expect(records.map(({ id }) => id)).toEqual(
      (await rows({ projectId: { not: null } })).map(({ id }) => id),
    );
    expect(records.filter(({ ip }) => ip !== null)).toEqual([]);
    expect((await rows({ projectId: null })).length).toBeGreaterThan(0);
  });

  test('ends with the newest event there was at its beginning', async () => {
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

  describe.each(['ndjson', 'csv'] as const)('interrupted (%s)', (format) => {
    test('anywhere and resumed is the same to the byte', async () => {
      let places = 0;
      const onPlace = async () => {
        places += 1;
      };
      const whole = await through({ format, onPlace });
      for (const stopAfter of [1, 2, Math.ceil(places / 2), places]) {
        const output = freshFile();
        await through({ output, format, stopAfter });
        expect(existsSync(`${output}.resume`)).toBe(true);
        // A process that is killed while it writes leaves part of a page behind.
        appendFileSync(output, '{"id": 99');

        expect(await through({ output, format, mode: 'resume' })).toBe(whole);
        expect(existsSync(`${output}.resume`)).toBe(false);
      }
    });
  });

  test('can be resumed after it was killed in its first moments', async () => {
    const whole = await through({ format: 'csv' });
    const resumed = (output: string) => through({ output, format: 'csv', mode: 'resume' });
    const empty = freshFile();
    writeFileSync(empty, '');
    expect(await resumed(empty)).toBe(whole);

    const output = freshFile();
    const { sink } = await openFileSink(output, { format: 'csv', filter: {}, mode: 'new' });
    const place = { upTo: 7, cursor: null, count: 0 };
    const writing = sink.write('a header that is long in coming'.repeat(2_000_000), place);
    while (!existsSync(`${output}.resume`)) await setImmediate();
    const note = readFileSync(`${output}.resume`, 'utf8');
    expect(JSON.parse(note)).toMatchObject({ bytes: 0, count: 0, cursor: null });
    await writing;
    await sink.close();
    writeFileSync(`${output}.resume`, note);
    expect(await resumed(output)).toBe(whole);

    rmSync(output);
    writeFileSync(`${output}.resume`, note);
    expect(await resumed(output)).toBe(whole);
  });

  test('can be resumed several times, and when it is complete no more', async () => {
    const output = freshFile();
    await through({ output, mode: 'resume', stopAfter: 2 });
    await through({ output, mode: 'resume', stopAfter: 2 });
    expect(await through({ output, mode: 'resume' })).toBe(await through());
    await expect(through({ output, mode: 'resume' })).rejects.toThrow('nothing to resume');
  });

  test('is not resumed with another filter, another format or another file', async () => {
    const output = freshFile();
    const filter = { project: { is: 'default' }, type: { is: 'FEATURE_CREATED' } };
    const part = await through({ output, filter, stopAfter: 1 });
    const refused = (setting: Partial<Setting>) =>
      expect(through({ output, mode: 'resume', filter, ...setting })).rejects;

    await refused({ filter: { project: { is: 'default' } } }).toThrow('begun with another filter');
    await refused({ format: 'csv' }).toThrow('begun as ndjson');
    await refused({ mode: 'new' }).toThrow('is an unfinished export');
    expect(readFileSync(output, 'utf8')).toBe(part);

    const noted = readFileSync(`${output}.resume`, 'utf8');
    writeFileSync(`${output}.resume`, noted.replace(/"bytes":\d+/, '"bytes":123456789'));
    await refused({}).toThrow('is shorter than');
    writeFileSync(`${output}.resume`, '{"version": 1');
    await refused({}).toThrow('was not written by this version');

    const sameInAnotherOrder = { type: { is: 'FEATURE_CREATED' }, project: { is: 'default' } };
    writeFileSync(`${output}.resume`, noted);
    expect(await through({ output, mode: 'resume', filter: sameInAnotherOrder })).toBe(
      await through({ filter }),
    );
  });

  test('writes over nothing unless told to', async () => {
    const output = freshFile();
    writeFileSync(output, 'precious');
    await expect(through({ output })).rejects.toThrow('is there already');
    expect(readFileSync(output, 'utf8')).toBe('precious');
    const dangling = freshFile();
    symlinkSync(join(folder, 'nowhere'), dangling);
    await expect(through({ output: dangling })).rejects.toThrow('a link that leads nowhere');
    expect(await through({ output, mode: 'force' })).toBe(await through());
  });

  test('leaves the file alone where the gateway refuses', async () => {
    const output = freshFile();
    await expect(through({ output, token: 'user:nobody' })).rejects.toThrow('token');
    expect(existsSync(output)).toBe(false);
    writeFileSync(output, 'precious');
    await expect(through({ output, token: 'user:nobody', mode: 'force' })).rejects.toThrow('token');
    expect(readFileSync(output, 'utf8')).toBe('precious');
  });

  describe('over a bad line', () => {
    let line: Server;
    let url: string;
    let calls: number;
    /** What happens to a call, by its number and the size of the page it asks for. */
    let fate: (call: number, size: number) => 'pass' | 'refuse' | 'cut' | 'drop' | 'too large';
    beforeAll(async () => {
      line = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { variables } = JSON.parse(Buffer.concat(chunks).toString());
        const what = fate(++calls, variables?.size ?? 0);
        if (what === 'drop') return request.socket.destroy();
        if (what === 'refuse') return response.writeHead(503).end('busy');
        if (what === 'too large') {
          const error = { message: 'Too large.', extensions: { code: 'PAYLOAD_TOO_LARGE' } };
          return response.writeHead(413).end(JSON.stringify({ errors: [error] }));
        }
        const answer = await fetch(`${gateway().url}${request.url}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: String(request.headers.authorization),
          },
          body: Buffer.concat(chunks),
        });
        const body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, {
          'content-type': 'application/json',
          'content-length': body.length,
        });
        if (what === 'pass') return response.end(body);
        return response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
      });
      await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
    });
    afterAll(() => line.close());

    test('tries again and is the same to the byte', async () => {
      calls = 0;
      fate = (call) => (['drop', 'refuse', 'cut', 'pass'] as const)[call % 4] ?? 'pass';
      const told: string[] = [];
      const exported = await through({ url, onPause: (message) => told.push(message) });
      expect(exported).toBe(await through());
      expect(told.length).toBeGreaterThan(3);
      expect(told.join('\n')).toContain('cannot be reached');
      expect(told.join('\n')).toContain('status 503');
    });

    test('asks for smaller pages where one is too large', async () => {
      calls = 0;
      const sizes: number[] = [];
      fate = (_call, size) => {
        sizes.push(size);
        return size > 5 ? 'too large' : 'pass';
      };
      const told: string[] = [];
      const filter = { type: { is: 'FEATURE_CREATED' } };
      const exported = await through({ url, filter, onPause: (message) => told.push(message) });
      expect(exported).toBe(await through({ filter }));
      expect(idsOf(exported).length).toBeGreaterThan(10);
      expect(sizes.filter((size) => size > 0).slice(0, 6)).toEqual([100, 50, 25, 12, 6, 3]);
      expect(told).toEqual([]);
    });

    test('gives up after some tries, and can be resumed', async () => {
      calls = 0;
      fate = (call) => (call <= 3 ? 'pass' : 'drop');
      const output = freshFile();
      await expect(through({ url, output })).rejects.toThrow(/cannot be reached: /);
      expect(calls).toBe(7);
      expect(readFileSync(output, 'utf8')).toMatch(/\}\n$/);
      fate = () => 'pass';
      expect(await through({ url, output, mode: 'resume' })).toBe(await through());
    });
  });
});
