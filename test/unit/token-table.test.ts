import { expect, test } from 'vitest';
import { type ListedToken, tokenTable } from '../../src/cli/list-tokens.js';

const TOKEN: ListedToken = {
  kind: 'admin',
  name: 'ci',
  secret: '*:*.abcd…',
  owner: null,
  expiresAt: null,
  expired: false,
};

test('lists one token per line', () => {
  expect(tokenTable([TOKEN])).toEqual([
    'KIND   NAME  SECRET     OWNER  EXPIRES',
    'admin  ci    *:*.abcd…  –      never',
  ]);
});

test('prints no control character of a stored text', () => {
  const hostile = 'a\u001b[2J\u001b]0;owned\u0007b\nadmin  fake\u202e\u009b31m';
  const [, line = '', ...more] = tokenTable([
    { ...TOKEN, kind: hostile, name: hostile, secret: hostile, owner: hostile },
  ]);
  expect(more).toEqual([]);
  expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(line).toContain('admin fake');
});
