import { describe, expect, test } from 'vitest';
import {
  createTeller,
  durationWords,
  pauseWords,
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
  ])('puts %d seconds as %s', (seconds, words) => {
    expect(durationWords(seconds)).toBe(words);
  });

  test('puts half a second as what it is', () => {
    expect([500, 1_000, 8_000].map(pauseWords)).toEqual(['0.5 s', '1 s', '8 s']);
  });

  test('tells the share, the speed of this run and the time left', () => {
    expect(progressLine({ count: 1_500, total: 2_000, fresh: 500, seconds: 5 })).toBe(
      '[██████████████████░░░░░░]  75 %  1,500 of 2,000 events, 100/s, 5 s left',
    );
    expect(progressLine({ count: 1_500, total: null, fresh: 500, seconds: 5 })).toBe(
      '1,500 events, 100/s',
    );
    expect(progressLine({ count: 0, total: 0, fresh: 0, seconds: 0 })).toMatch(/100 % {2}0 of 0/);
  });

  const run = (options: { isWatched: boolean; isQuiet?: boolean }) => {
    let said = '';
    let time = 0;
    const teller = createTeller({
      ...options,
      now: () => time,
      tell: (text) => {
        said += text;
      },
    });
    teller.onStart({ count: 0, total: 100 });
    for (let count = 1; count <= 100; count += 1) {
      time += 150;
      teller.onPage(count);
    }
    teller.say('Done.');
    return said;
  };

  test('is one line that changes where a person looks on', () => {
    const said = run({ isWatched: true });
    expect(said.split('\n')).toHaveLength(2);
    expect(said).toMatch(/ {2}50 of 100 events/);
    expect(said.endsWith(`${CLEAR}Done.\n`)).toBe(true);
  });

  test('is a line now and then where nobody does, and none where it is not wanted', () => {
    expect(run({ isWatched: false }).split('\n')).toHaveLength(3);
    expect(run({ isWatched: false })).not.toContain('\r');
    expect(run({ isWatched: true, isQuiet: true })).toBe('Done.\n');
  });
});
