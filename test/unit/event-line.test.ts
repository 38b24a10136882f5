import { describe, expect, test } from 'vitest';
import { createPaint } from '../../src/cli/doctor-report.js';
import { eventLine } from '../../src/cli/tail/event-line.js';
import { escapeLineStart, link } from '../../src/domain/events/event-markdown.js';
import { withoutMarkdown } from '../../src/domain/plain-line.js';
import type { EventRecord } from '../../src/export/event-record.js';

const EVENT: EventRecord = {
  id: 7,
  createdAt: '2026-03-02T12:00:00.123Z',
  typeName: 'feature-environment-enabled',
  label: 'Feature enabled',
  summary: 'ada enabled [checkout](http://localhost/features/checkout) in *production*',
  createdBy: 'ada',
  createdByUserId: 1,
  projectId: 'web',
  featureName: 'checkout',
  environmentName: 'production',
  data: null,
  preData: null,
  tags: [],
  ip: null,
  group: null,
};

const PLAIN = createPaint(false);

describe('a line of the tail command', () => {
  test('shows timestamp, label, author, location and the summary without Markdown', () => {
    expect(eventLine(EVENT, PLAIN)).toBe(
      '2026-03-02T12:00:00Z  Feature enabled  ada  web/checkout@production  ada enabled checkout in production',
    );
    expect(
      eventLine({ ...EVENT, projectId: null, featureName: null, environmentName: null }, PLAIN),
    ).toBe('2026-03-02T12:00:00Z  Feature enabled  ada  ada enabled checkout in production');
  });

  test('contains no terminal control sequences from any field', () => {
    const unsafe = 'x\u001b]0;title\u0007\u001b[2J\u009b31m\r\n\u202ey\u0000\u2028z';
    const line = eventLine(
      {
        ...EVENT,
        createdAt: unsafe,
        label: unsafe,
        summary: unsafe,
        createdBy: unsafe,
        projectId: unsafe,
        featureName: unsafe,
        environmentName: unsafe,
      },
      PLAIN,
    );
    expect(line).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e]/u);
    expect(line).toContain('x ]0;title [2J 31m y z');
  });

  test('is colored if enabled', () => {
    expect(eventLine(EVENT, createPaint(true))).toContain('\u001b[32mFeature enabled\u001b[0m');
  });
});

test.each([
  'plain words',
  'a*b*c **d** `e`',
  '[x](y)',
  '\\ back\\slash \\*',
  '_under_ score_d ~~gone~~',
  '<b>&amp; http://example.com www.example.com',
  '- no list',
  '1. no list either',
])('removes the Markdown escapes of the gateway: %j', (text) => {
  expect(withoutMarkdown(escapeLineStart(text))).toBe(text);
  expect(withoutMarkdown(link(escapeLineStart(text), 'http://ui', ['a(b)', 'c']))).toBe(text);
});
