import { describe, expect, test } from 'vitest';
import { BadDataError } from '../../src/domain/errors.js';
import { assertFeatureName } from '../../src/domain/features/feature-name.js';

const errorOf = (name: string): BadDataError => {
  try {
    assertFeatureName(name);
  } catch (error) {
    if (error instanceof BadDataError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(name)} was accepted`);
};

describe('a feature name', () => {
  test.each(['checkout', 'Checkout_v2.1', '...', "a!~*'()-_", '0', 'x'.repeat(100)])(
    'may be %j',
    (name) => {
      expect(() => assertFeatureName(name)).not.toThrow();
    },
  );

  test('cannot be empty', () => {
    expect(errorOf('').message).toContain('cannot be empty');
  });

  test.each([' ', 'a b', 'a/b', 'é', 'a%20b', 'a?b', 'a#b', 'a\n', 'a\0', '😀', '+', '@', ':'])(
    'cannot be %j, which changes when URL-encoded',
    (name) => {
      expect(errorOf(name).message).toContain('not URL-friendly');
      expect(errorOf(name).message).toContain(JSON.stringify(name));
    },
  );

  test.each(['.', '..'])('cannot be %j, which is a relative path segment', (name) => {
    expect(errorOf(name).details).toHaveLength(1);
    expect(errorOf(name).message).toContain(`"${name}"`);
  });

  test.each(['\ud800', 'a\udfff', '\udc00\ud800'])(
    'cannot contain a lone surrogate, and the error is well-formed text',
    (name) => {
      expect(errorOf(name).message).toMatch(/^\P{Surrogate}+$/u);
    },
  );

  test('cannot have more than 100 characters', () => {
    expect(errorOf('x'.repeat(101)).message).toContain('at most 100 characters');
    expect(errorOf('x'.repeat(101)).message).toContain('got 101');
  });

  test('is rejected for one reason at a time, characters before length', () => {
    const { details } = errorOf('ö'.repeat(101));
    expect(details).toHaveLength(1);
    expect(details[0]?.message).toContain('not URL-friendly');
  });

  test('is truncated in the error message', () => {
    expect(errorOf(' '.repeat(100_000)).message.length).toBeLessThan(400);
  });
});
