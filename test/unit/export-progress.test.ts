import { describe, expect, test } from 'vitest';
import {
  createProgressReporter,
  formatDelay,
  formatDuration,
  progressLine,
} from '../../src/cli/export/progress.js';

const CLEAR = '\r\u001b[2K';

describe('the progress of an export', () => {
  test.each([
    [0, '0 s'],
    [59.4, '59 s'],
    [60, '1 min 00 s'],
    [3599, '59 min 59 s'],
    [7500, '2 h 05 min'],
  ])('formats %d seconds as %s', (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });

  test('formats half a second as a fraction', () => {
    expect([500, 1_000, 8_000].map(formatDelay)).toEqual(['0.5 s', '1 s', '8 s']);
  });

  test('shows the percentage, the rate of this run and the time left', () => {
    expect(progressLine({ count: 1_500, total: 2_000, fresh: 500, seconds: 5 })).toBe(
      '[██████████████████░░░░░░]  75 %  1,500 of 2,000 events, 100/s, 5 s left',
    );
    expect(progressLine({ count: 1_500, total: null, fresh: 500, seconds: 5 })).toBe(
      '1,500 events, 100/s',
    );
    expect(progressLine({ count: 0, total: 0, fresh: 0, seconds: 0 })).toMatch(/100 % {2}0 of 0/);
  });

  const run = (options: { isInteractive: boolean; isQuiet?: boolean }) => {
    let output = '';
    let time = 0;
    const reporter = createProgressReporter({
      ...options,
      now: () => time,
      writeError: (text) => {
        output += text;
      },
    });
    reporter.onStart({ count: 0, total: 100 });
    for (let count = 1; count <= 100; count += 1) {
      time += 150;
      reporter.onPage(count);
    }
    reporter.printLine('Done.');
    return output;
  };

  test('is a single updated line in a terminal', () => {
    const output = run({ isInteractive: true });
    expect(output.split('\n')).toHaveLength(2);
    expect(output).toMatch(/ {2}50 of 100 events/);
    expect(output.endsWith(`${CLEAR}Done.\n`)).toBe(true);
  });

  test('is an occasional line elsewhere, and absent in quiet mode', () => {
    expect(run({ isInteractive: false }).split('\n')).toHaveLength(3);
    expect(run({ isInteractive: false })).not.toContain('\r');
    expect(run({ isInteractive: true, isQuiet: true })).toBe('Done.\n');
  });
});
