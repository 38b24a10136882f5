import { describe, expect, test } from 'vitest';
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

const refusal = async (name: string, rule: ReturnType<typeof naming>): Promise<PatternError> => {
  const error = await assertNamingPattern(name, rule).catch((thrown: unknown) => thrown);
  if (error instanceof PatternError) return error;
  throw error ?? new Error(`'${name}' was accepted`);
};

describe('the naming pattern of a project', () => {
  test('lets a name pass that it matches from end to end', async () => {
    await assertNamingPattern('web-checkout', naming('web-[a-z]+'));
    expect((await refusal('my-web-checkout', naming('web-[a-z]+'))).name).toBe('PatternError');
    expect((await refusal('web-checkout2', naming('web-[a-z]+'))).name).toBe('PatternError');
  });

  test('is anchored without grouping, so an alternative is open at one end', async () => {
    const rule = naming('web|app');
    await assertNamingPattern('web-anything', rule);
    await assertNamingPattern('any-app', rule);
    expect((await refusal('anything', rule)).pattern).toBe('web|app');
  });

  test('is read without flags, so letter case counts', async () => {
    expect((await refusal('WEB', naming('web'))).message).toContain("'WEB'");
  });

  test('may look around and refer back', async () => {
    await assertNamingPattern('web-web', naming('(?=web)(\\w+)-\\1'));
    await refusal('web-app', naming('(?=web)(\\w+)-\\1'));
  });

  test.each([null, '', '(', '[z-a]', '*', '(?<n>a)(?<n>b)'])(
    '%j forbids nothing',
    async (pattern) => {
      await assertNamingPattern('anything', naming(pattern));
    },
  );

  test('is told in the refusal with its example and description', async () => {
    const error = await refusal('x', naming('y+', { example: 'yyy', description: 'only ys' }));
    expect(error).toMatchObject({ pattern: 'y+', example: 'yyy', description: 'only ys' });
    for (const fact of ["'x'", "'y+'", "'yyy'", 'only ys']) expect(error.message).toContain(fact);
  });

  test('leaves example and description out of the refusal when there are none', async () => {
    const { message } = await refusal('x', naming('y+', { example: '', description: '' }));
    expect(message).toBe("The name 'x' does not fit the naming pattern of the project, 'y+'.");
  });
});

describe('a naming pattern that runs for ever', () => {
  const KILLER = 'a'.repeat(100);

  test.each(['(a+)+b', '(a|aa)+b', '(a*)*\\1*b', `${'a?'.repeat(100)}bbbbb`])(
    '%s is refused while everything else goes on',
    async (pattern) => {
      let turns = 0;
      const otherWork = setInterval(() => {
        turns += 1;
      }, 5);
      const { message } = await refusal(KILLER, naming(pattern));
      clearInterval(otherWork);
      expect(message).toContain('takes too long');
      expect(turns).toBeGreaterThan(20);
    },
  );

  test('gets no second try, and does not spoil the next pattern', async () => {
    const rule = naming('(a+)+c');
    const names = Array.from({ length: 50 }, () => KILLER);
    const refusals = await Promise.all(names.map((name) => refusal(name, rule)));
    expect(refusals.every(({ message }) => message.includes('takes too long'))).toBe(true);
    await assertNamingPattern('aaa', naming('a+'));
  });
});
