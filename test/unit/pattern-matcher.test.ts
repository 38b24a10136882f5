import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { OverloadedError } from '../../src/domain/errors.js';
import { createPatternMatcher } from '../../src/domain/features/pattern-matcher.js';

const SLOW_NAME = 'a'.repeat(100);
/** A pattern that never finishes on KILLER; a different one for each number. */
const slowPattern = (index: number) => `^(a+)+b{${index}}c$`;

/** IDs of the processes in which this process matches patterns. */
const patternProcesses = (): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...args]) => parent === String(process.pid) && args.join(' ').includes('RegExp'),
    )
    .map(([pid]) => Number(pid));

const stallFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

describe('the naming pattern worker', () => {
  test('does not count a blocked event loop of the gateway as slowness', async () => {
    const matchPattern = createPatternMatcher();
    await matchPattern('^web$', 'warm-up');
    const result = matchPattern('^web-[a-z]+$', 'web-checkout');
    stallFor(2_500);
    expect(await result).toBe('match');
    expect(await matchPattern('^web-[a-z]+$', 'web-cart')).toBe('match');
  });

  test('retries when its process is killed', async () => {
    const matchPattern = createPatternMatcher();
    const before = patternProcesses();
    await matchPattern('^web$', 'warm-up');
    const own = () => patternProcesses().filter((pid) => !before.includes(pid));
    const [pid] = own();
    expect(pid).toBeDefined();
    const result = matchPattern(slowPattern(1), SLOW_NAME);
    process.kill(pid as number, 'SIGKILL');
    expect(await matchPattern('^web$', 'web')).toBe('match');
    expect(await result).toBe('too slow');
  });

  test('reports overload, not slowness, when its process is killed repeatedly', async () => {
    const matchPattern = createPatternMatcher();
    const before = patternProcesses();
    let isDone = false;
    const result = matchPattern(slowPattern(2), SLOW_NAME).finally(() => {
      isDone = true;
    });
    const rejection = expect(result).rejects.toBeInstanceOf(OverloadedError);
    while (!isDone) {
      for (const pid of patternProcesses().filter((other) => !before.includes(other))) {
        process.kill(pid, 'SIGKILL');
      }
      await delay(5);
    }
    await rejection;
    expect(await matchPattern('^web$', 'web')).toBe('match');
  });

  test('matches a pattern known to be fast before slow patterns of other projects', async () => {
    const matchPattern = createPatternMatcher();
    await matchPattern('^good-.*$', 'good-1');
    let slow = 0;
    const others = Array.from({ length: 4 }, async (_, index) => {
      expect(await matchPattern(slowPattern(10 + index), SLOW_NAME)).toBe('too slow');
      slow += 1;
    });
    expect(await matchPattern('^good-.*$', 'good-2')).toBe('match');
    expect(slow).toBeLessThanOrEqual(1);
    expect(await matchPattern('^new-.*$', 'new-1')).toBe('match');
    expect(slow).toBeLessThan(others.length);
    await Promise.all(others);
  });

  test('limits the names that wait for one pattern, and these do not block other patterns', async () => {
    const matchPattern = createPatternMatcher();
    const names = Array.from({ length: 100 }, (_, index) => SLOW_NAME + 'a'.repeat(index));
    const waiting = names.map((name) => matchPattern(slowPattern(3), name));
    await expect(matchPattern(slowPattern(3), 'b')).rejects.toBeInstanceOf(OverloadedError);
    expect(await matchPattern('^web$', 'web')).toBe('match');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['too slow']));
  });

  test('limits all waiting names', async () => {
    const matchPattern = createPatternMatcher();
    const waiting = Array.from({ length: 400 }, (_, index) =>
      matchPattern(`^web-${index}$`, 'web'),
    );
    await expect(matchPattern('^one-more$', 'web')).rejects.toBeInstanceOf(OverloadedError);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['no match']));
    expect(await matchPattern('^one-more$', 'web')).toBe('no match');
  });
});
