import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../src/cli/events/event-record.js';
import { FORMATS } from '../../src/cli/export/formats.js';
import { parseCsv } from '../testkit/parse-csv.js';

const EVENT: EventRecord = {
  id: 7,
  createdAt: '2026-03-02T12:00:00.000Z',
  type: 'feature-created',
  label: 'Feature created',
  summary: 'ada created feature checkout',
  createdBy: 'ada@example.com',
  createdByUserId: -42,
  project: 'web',
  featureName: 'checkout',
  environment: null,
  data: { name: 'checkout', note: 'a "quoted", long\nline' },
  preData: null,
  tags: [{ type: 'simple', value: 'x' }],
  ip: null,
};

const cellsOf = (event: Partial<EventRecord>): Record<string, string | null> => {
  const { header, line } = FORMATS.csv;
  const [names, cells, ...others] = parseCsv(header + line({ ...EVENT, ...event }));
  expect(others).toEqual([]);
  expect(cells).toHaveLength(names?.length ?? 0);
  return Object.fromEntries((names ?? []).map((name, i) => [name, cells?.[i] ?? null]));
};

describe('CSV', () => {
  test('has a line of names, and a cell for every field', () => {
    expect(FORMATS.csv.header).toMatch(/\r\n$/);
    expect(FORMATS.csv.line(EVENT)).toMatch(/\r\n$/);
    expect(cellsOf({})).toEqual({
      id: '7',
      createdAt: '2026-03-02T12:00:00.000Z',
      type: 'feature-created',
      label: 'Feature created',
      summary: 'ada created feature checkout',
      createdBy: 'ada@example.com',
      createdByUserId: '-42',
      project: 'web',
      featureName: 'checkout',
      environment: null,
      data: JSON.stringify(EVENT.data),
      preData: null,
      tags: '[{"type":"simple","value":"x"}]',
      ip: null,
    });
  });

  test.each(['a,b', 'say "x"', 'two\nlines', 'two\r\nlines', '""', '', ' padded '])(
    'brings %j back as it was',
    (text) => {
      expect(cellsOf({ createdBy: text, data: { text } })).toMatchObject({
        createdBy: text,
        data: JSON.stringify({ text }),
      });
    },
  );

  test.each(['=HYPERLINK("http://x")', '+1', '-1+cmd|x', '@SUM(A1)', '\t=1', '\r=1', '＝1'])(
    'keeps spreadsheets from running %j',
    (text) => {
      expect(cellsOf({ createdBy: text, project: text, label: text })).toMatchObject({
        createdBy: `'${text}`,
        project: `'${text}`,
        label: `'${text}`,
      });
    },
  );

  test('leaves the minus of a number and of JSON alone', () => {
    expect(cellsOf({ data: -5, preData: '=1' })).toMatchObject({
      createdByUserId: '-42',
      data: '-5',
      preData: '"=1"',
    });
  });
});

describe('NDJSON', () => {
  test('is one object a line, whatever the texts hold', () => {
    const event = { ...EVENT, createdBy: 'a\nb\u0085\u2028\u009b31m\u0000' };
    const text = FORMATS.ndjson.line(event);
    expect(text.split(/[\r\n\u0085\u2028]/)).toHaveLength(2);
    expect(text).not.toMatch(/[\u0080-\u009f]/);
    expect(JSON.parse(text)).toEqual(event);
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(EVENT));
  });
});
