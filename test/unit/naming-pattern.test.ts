import { describe, expect, test } from 'vitest';
import { PatternError } from '../../src/domain/errors.js';
import { assertNamingPattern } from '../../src/domain/features/naming-pattern.js';

const naming = (
  pattern: string | null,
  texts: { example?: string; description?: string } = {},
) => ({
  pattern,
  example: texts.example ?? null,
  description: texts.description ?? null,
});

const errorOf = async (name: string, rule: ReturnType<typeof naming>): Promise<PatternError> => {
  const error = await assertNamingPattern(name, rule).catch((thrown: unknown) => thrown);
  if (error instanceof PatternError) return error;
  throw error ?? new Error(`'${name}' was accepted`);
};

describe('the naming pattern of a project', () => {
  test('accepts a name that it matches completely', async () => {
    await assertNamingPattern('web-checkout', naming('web-[a-z]+'));
    expect((await errorOf('my-web-checkout', naming('web-[a-z]+'))).name).toBe('PatternError');
    expect((await errorOf('web-checkout2', naming('web-[a-z]+'))).name).toBe('PatternError');
  });

  test('is anchored without grouping, so each alternative is open at one end', async () => {
    const rule = naming('web|app');
    await assertNamingPattern('web-anything', rule);
    await assertNamingPattern('any-app', rule);
    expect((await errorOf('anything', rule)).pattern).toBe('web|app');
  });

  test('has no flags, so it is case-sensitive', async () => {
    expect((await errorOf('WEB', naming('web'))).message).toContain("'WEB'");
  });

  test('may use lookaround and backreferences', async () => {
    await assertNamingPattern('web-web', naming('(?=web)(\\w+)-\\1'));
    await errorOf('web-app', naming('(?=web)(\\w+)-\\1'));
  });

  test.each([null, '', '(', '[z-a]', '*', '(?<n>a)(?<n>b)'])(
    '%j allows any name',
    async (pattern) => {
      await assertNamingPattern('anything', naming(pattern));
    },
  );

  test('is reported in the error with its example and description', async () => {
    const error = await errorOf('x', naming('y+', { example: 'yyy', description: 'only ys' }));
    expect(error).toMatchObject({ pattern: 'y+', example: 'yyy', description: 'only ys' });
    for (const text of ["'x'", "'y+'", "'yyy'", 'only ys']) expect(error.message).toContain(text);
  });

  test('is reported without example and description when there are none', async () => {
    const { message } = await errorOf('x', naming('y+', { example: '', description: '' }));
    expect(message).toBe("The name 'x' does not match the naming pattern of the project, 'y+'.");
  });
});

describe('a naming pattern with catastrophic backtracking', () => {
  const SLOW_NAME = 'a'.repeat(100);

  test.each(['(a+)+b', '(a|aa)+b', '(a*)*\\1*b', `${'a?'.repeat(100)}bbbbb`])(
    '%s is rejected without blocking other work',
    async (pattern) => {
      let turns = 0;
      const otherWork = setInterval(() => {
        turns += 1;
      }, 5);
      const { message } = await errorOf(SLOW_NAME, naming(pattern));
      clearInterval(otherWork);
      expect(message).toContain('takes too long');
      expect(turns).toBeGreaterThan(20);
    },
  );

  test('is not run again, and does not affect the next pattern', async () => {
    const rule = naming('(a+)+c');
    const names = Array.from({ length: 50 }, () => SLOW_NAME);
    const errors = await Promise.all(names.map((name) => errorOf(name, rule)));
    expect(errors.every(({ message }) => message.includes('takes too long'))).toBe(true);
    await assertNamingPattern('aaa', naming('a+'));
  });
});
