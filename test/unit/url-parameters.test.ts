import { expect, test } from 'vitest';
import { findSessionCookie } from '../../src/auth/session-cookie.js';
import { readSearch } from '../../src/graphql/operation-request.js';
import { hasOperationParameters } from '../../src/graphql/trusted-documents/resolve-document.js';

test.each([
  ['?query={__typename}', true],
  ['?variables={}&operationName=A', true],
  ['?doc_id', true],
  ['?id=1&x=2', true],
  ['', false],
  ['?x=query', false],
  ['?myquery=1&queryx=2', false],
])('recognizes an operation in %s: %s', (search, expected) => {
  expect(hasOperationParameters(search)).toBe(expected);
});

test('accepts up to 100 parameters', () => {
  const others = (count: number) => '&x=%ff'.repeat(count);
  expect(readSearch(`?query={a}${others(99)}`)).toEqual({ query: '{a}' });
  expect(() => readSearch(`?query={a}${others(100)}`)).toThrow('at most 100 parameters');
});

test('decodes the sign-in cookie, also among malformed ones', () => {
  const others = Array.from({ length: 3_000 }, (_, index) => `a${index}=%`).join('; ');
  expect(findSessionCookie(`${others}; unleash-session=s%3Aabc`)).toBe('s:abc');
  expect(findSessionCookie('unleash-session=s%3Aabc; unleash-session=other')).toBe('s:abc');
  expect(findSessionCookie('unleash-session=%')).toBe('%');
  expect(findSessionCookie(others)).toBeUndefined();
});
