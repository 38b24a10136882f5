import { open } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createStandardSink } from '../../src/cli/export/stream-sink.js';
import type { EventRecord } from '../../src/export/event-record.js';
import { FORMATS } from '../../src/export/formats.js';
import { parseCsv } from '../testkit/parse-csv.js';

const EVENT: EventRecord = {
  id: 7,
  createdAt: '2026-03-02T12:00:00.000Z',
  typeName: 'feature-created',
  label: 'Feature created',
  summary: 'ada created feature checkout',
  createdBy: 'ada@example.com',
  createdByUserId: -42,
  projectId: 'web',
  featureName: 'checkout',
  environmentName: null,
  data: { name: 'checkout', note: 'a "quoted", long\nline' },
  preData: null,
  tags: [{ type: 'simple', value: 'x' }],
  ip: null,
  group: { type: 'transaction', id: '01JZ0000000000000000000000' },
};

const cellsOf = (
  event: Partial<EventRecord>,
  format: 'csv' | 'csv-raw' = 'csv',
): Record<string, string | null> => {
  const { header, line } = FORMATS[format];
  const [names, cells, ...others] = parseCsv(header + line({ ...EVENT, ...event }));
  expect(others).toEqual([]);
  expect(cells).toHaveLength(names?.length ?? 0);
  return Object.fromEntries((names ?? []).map((name, i) => [name, cells?.[i] ?? null]));
};

const FORMULAS = [
  ...['=HYPERLINK("http://x")', '+1', '-1+cmd|x', '@SUM(A1)', '\t=1', '\r=1', '\n', '＝1'],
  ...[' =1', '\u00a0=1', '\u200b=1', '\ufeff+1', '\u0001@x'],
];

describe('CSV', () => {
  test('has a header line and a cell for every field', () => {
    expect(FORMATS.csv.header).toMatch(/\r\n$/);
    expect(FORMATS.csv.line(EVENT)).toMatch(/\r\n$/);
    expect(cellsOf({})).toEqual({
      id: '7',
      createdAt: '2026-03-02T12:00:00.000Z',
      typeName: 'feature-created',
      label: 'Feature created',
      summary: 'ada created feature checkout',
      createdBy: 'ada@example.com',
      createdByUserId: '-42',
      projectId: 'web',
      featureName: 'checkout',
      environmentName: null,
      data: JSON.stringify(EVENT.data),
      preData: null,
      tags: '[{"type":"simple","value":"x"}]',
      ip: null,
      groupType: 'transaction',
      groupId: '01JZ0000000000000000000000',
    });
    expect(cellsOf({ group: null })).toMatchObject({ groupType: null, groupId: null });
  });

  test.each([
    ...['a,b', 'say "x"', 'two\nlines', 'two\r\nlines', '""', '', ' padded ', "it's", "'quoted'"],
    ...['\u001b[31mred\u0007', '\u0001\u0085\u009b\u007f', '\u2028\u2029', '\ufeffx', 'a\tb', '💡'],
  ])('preserves %j', (text) => {
    const { createdBy, data } = cellsOf({ createdBy: text, data: { text } });
    expect(createdBy).toBe(text);
    expect(JSON.parse(data ?? '')).toEqual({ text });
  });

  test.each(FORMULAS)('prevents spreadsheets from running %j', (text) => {
    expect(cellsOf({ createdBy: text, projectId: text, label: text })).toMatchObject({
      createdBy: `'${text}`,
      projectId: `'${text}`,
      label: `'${text}`,
    });
  });

  test.each(FORMULAS)('keeps %j unchanged in the raw format', (text) => {
    expect(cellsOf({ createdBy: text }, 'csv-raw')).toMatchObject({ createdBy: text });
  });

  test('distinguishes a formula from one recorded with a leading apostrophe', () => {
    const recorded = FORMULAS.flatMap((text) => [text, `'${text}`, `''${text}`]);
    const cells = recorded.map((createdBy) => cellsOf({ createdBy })['createdBy']);
    expect(new Set(cells).size).toBe(recorded.length);
    expect(cells.map((cell) => cell?.replace(/^'/, ''))).toEqual(recorded);
  });

  test.each(['\u001b[31m', 'a\u0085b', 'a\u2028b', ' a', 'a\t'])('quotes %j', (text) => {
    expect(FORMATS['csv-raw'].line({ ...EVENT, createdBy: text })).toContain(`,"${text}",`);
  });

  test('does not escape the minus of a number or of JSON', () => {
    expect(cellsOf({ data: -5, preData: '=1' })).toMatchObject({
      createdByUserId: '-42',
      data: '-5',
      preData: '"=1"',
    });
  });
});

describe('standard output', () => {
  const TEXT = 'a\u001b[31m\u009b,b\rc\td\r\n';

  test.each([
    ['has no control characters on a terminal', true, 'a\ufffd[31m\ufffd,b\ufffdc\td\r\n'],
    ['is unchanged in a pipe', false, TEXT],
  ])('%s', async (_name, isTTY, expected) => {
    const device = await open('/dev/null', 'w');
    const stdout = Object.assign(new PassThrough(), { fd: device.fd, isTTY });
    const sink = createStandardSink(new AbortController().signal, stdout);
    await sink.write(TEXT, { upTo: 1, after: null, count: 0 });
    expect(String(stdout.read())).toBe(expected);
    await device.close();
  });
});

describe('NDJSON', () => {
  test('has one object per line, whatever the texts contain', () => {
    const event = { ...EVENT, createdBy: 'a\nb\u0085\u2028\u009b31m\u0000' };
    const text = FORMATS.ndjson.line(event);
    expect(text.split(/[\r\n\u0085\u2028]/)).toHaveLength(2);
    expect(text).not.toMatch(/[\u0080-\u009f]/);
    expect(JSON.parse(text)).toEqual(event);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(EVENT));
  });
});
