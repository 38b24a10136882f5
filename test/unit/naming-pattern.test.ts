import { afterEach, describe, expect, test, vi } from 'vitest';
import { PatternError } from '../../src/domain/errors.js';
import { assertNamingPattern } from '../../src/domain/features/naming-pattern.js';

const naming = (
  pattern: string | null,
  facts: { example?: string; description?: string } = {},
) => ({
  pattern,
  example: facts.example ?? null,
  description: facts.description ?? null,
});

const refusal = (name: string, rule: ReturnType<typeof naming>): PatternError => {
  try {
    assertNamingPattern(name, rule);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
  throw new Error(`'${name}' was accepted`);
};

const KILLER = 'a'.repeat(100);

afterEach(() => {
  vi.useRealTimers();
});

describe('the naming pattern of a project', () => {
  test('lets a name pass that it matches from end to end', () => {
    expect(() => assertNamingPattern('web-checkout', naming('web-[a-z]+'))).not.toThrow();
    expect(refusal('my-web-checkout', naming('web-[a-z]+')).name).toBe('PatternError');
    expect(refusal('web-checkout2', naming('web-[a-z]+')).name).toBe('PatternError');
  });

  test('is anchored without grouping, so an alternative is open at one end', () => {
    const rule = naming('web|app');
    expect(() => assertNamingPattern('web-anything', rule)).not.toThrow();
    expect(() => assertNamingPattern('any-app', rule)).not.toThrow();
    expect(refusal('anything', rule).pattern).toBe('web|app');
  });

  test('is read without flags, so letter case counts', () => {
    expect(refusal('WEB', naming('web')).message).toContain("'WEB'");
  });

  test.each([null, '', '(', '[z-a]', '*', '(?<n>a)(?<n>b)'])('%j forbids nothing', (pattern) => {
    expect(() => assertNamingPattern('anything', naming(pattern))).not.toThrow();
  });

  test('is told in the refusal with its example and description', () => {
    const error = refusal('x', naming('y+', { example: 'yyy', description: 'only ys' }));
    expect(error).toMatchObject({ pattern: 'y+', example: 'yyy', description: 'only ys' });
    for (const fact of ["'x'", "'y+'", "'yyy'", 'only ys']) expect(error.message).toContain(fact);
  });

  test('leaves example and description out of the refusal when there are none', () => {
    const { message } = refusal('x', naming('y+', { example: '', description: '' }));
    expect(message).toBe("The name 'x' does not fit the naming pattern of the project, 'y+'.");
  });
});

describe('a naming pattern that backtracks for ever', () => {
  test.each(['(a+)+b', '(a|aa)+b', '(a*)*\\1*b', `${'a?'.repeat(100)}bbbbb`])(
    '%s is stopped and refused as taking too long',
    (pattern) => {
      const started = performance.now();
      expect(refusal(KILLER, naming(pattern)).message).toContain('takes too long');
      expect(performance.now() - started).toBeLessThan(2000);
    },
  );

  test('is refused at once when it comes back, whatever the name', () => {
    const rule = naming('(a+)+c');
    refusal(KILLER, rule);
    const started = performance.now();
    for (let round = 0; round < 200; round += 1) refusal('harmless', rule);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('gets another chance after a minute', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rule = naming('(a+)+d');
    refusal(KILLER, rule);
    expect(refusal('aad', rule).message).toContain('takes too long');
    vi.advanceTimersByTime(60_001);
    expect(() => assertNamingPattern('aad', rule)).not.toThrow();
  });

  test('does not spoil the judging of other patterns', () => {
    refusal(KILLER, naming('(a+)+e'));
    expect(() => assertNamingPattern('abc', naming('[a-c]+'))).not.toThrow();
    expect(refusal('abd', naming('[a-c]+')).message).toContain('does not fit');
  });

  test('is forgotten when a hundred others came after it', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const rule = naming('(a+)+f');
    refusal(KILLER, rule);
    for (let other = 0; other < 100; other += 1) refusal(KILLER, naming(`(a+)+${other}`));
    expect(() => assertNamingPattern('aaf', rule)).not.toThrow();
  }, 60_000);
});

test('a pattern too long to be compiled quickly is refused without trying it', () => {
  const started = performance.now();
  const error = refusal('a', naming('a?'.repeat(500_000)));
  expect(performance.now() - started).toBeLessThan(1000);
  expect(error.message).toContain('takes too long');
  expect(error.pattern.length).toBeLessThanOrEqual(2000);
});

test('a pattern cannot run code or leave anything behind', () => {
  assertNamingPattern('x', naming("x');globalThis.leaked = 1;('"));
  assertNamingPattern('x', naming('${globalThis.leaked = 1}|x'));
  expect(globalThis).not.toHaveProperty('leaked');
});
