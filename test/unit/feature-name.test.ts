import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { assertFeatureName } from '../../src/domain/features/feature-name.js';

const refusal = (name: string): BadDataError => {
  try {
    assertFeatureName(name);
  } catch (error) {
    if (error instanceof BadDataError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(name)} was accepted`);
};

describe('the name of a feature', () => {
  test.each(['checkout', 'Checkout_v2.1', '...', "a!~*'()-_", '0', 'x'.repeat(100)])(
    'may be %j',
    (name) => {
      expect(() => assertFeatureName(name)).not.toThrow();
    },
  );

  test('cannot be empty', () => {
    expect(refusal('').message).toContain('cannot be empty');
  });

  test.each([' ', 'a b', 'a/b', 'é', 'a%20b', 'a?b', 'a#b', 'a\n', 'a\0', '😀', '+', '@', ':'])(
    'cannot be %j, which changes under URL encoding',
    (name) => {
      expect(refusal(name).message).toContain('does not fit into a URL');
      expect(refusal(name).message).toContain(JSON.stringify(name));
    },
  );

  test.each(['.', '..'])('cannot be %j, which paths read as a direction', (name) => {
    expect(refusal(name).details).toHaveLength(1);
    expect(refusal(name).message).toContain(`"${name}"`);
  });

  test.each(['\ud800', 'a\udfff', '\udc00\ud800'])(
    'cannot hold half a surrogate pair, and the refusal is itself well-formed',
    (name) => {
      expect(refusal(name).message).toMatch(/^\P{Surrogate}+$/u);
    },
  );

  test('cannot have more than 100 characters', () => {
    expect(refusal('x'.repeat(101)).message).toContain('at most 100 characters');
    expect(refusal('x'.repeat(101)).message).toContain('has 101');
  });

  test('is refused for one reason at a time, unfriendliness before length', () => {
    const { details } = refusal('ö'.repeat(101));
    expect(details).toHaveLength(1);
    expect(details[0]?.message).toContain('does not fit into a URL');
  });

  test('is cut in the message when it is huge', () => {
    expect(refusal(' '.repeat(100_000)).message.length).toBeLessThan(400);
  });
});
