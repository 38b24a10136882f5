import { expect, test } from 'vitest';
import { createStatementNames } from '../../src/data/pool/statement-names.js';

/** A statement that is long enough to get a name. */
const select = (value: number): string => `select ${value} as ${'a_long_name_'.repeat(10)}`;

const nameAfter = (nameOf: (sql: string) => string, sql: string, sent: number): string => {
  let name = '';
  for (let count = 0; count < sent; count += 1) name = nameOf(sql);
  return name;
};

test('names a text when it was sent ten times, and keeps the name', () => {
  const nameOf = createStatementNames();

  expect(nameAfter(nameOf, select(1), 9)).toBe('');
  const name = nameOf(select(1));
  expect(name).toMatch(/^flaggraph_[0-9a-f]{16}$/);
  expect(nameOf(select(1))).toBe(name);
});

test('names different texts differently', () => {
  const nameOf = createStatementNames();

  expect(nameAfter(nameOf, select(1), 10)).not.toBe(nameAfter(nameOf, select(2), 10));
});

test('names at most 64 texts', () => {
  const nameOf = createStatementNames();

  const names = Array.from({ length: 70 }, (_, index) => nameAfter(nameOf, select(index), 20));

  expect(names.filter((name) => name !== '')).toHaveLength(64);
});

test('does not name long texts', () => {
  const nameOf = createStatementNames();

  expect(nameAfter(nameOf, `select '${'x'.repeat(8_192)}'`, 20)).toBe('');
});

test('counts only the texts that were sent last', () => {
  const nameOf = createStatementNames();
  nameAfter(nameOf, select(1), 9);
  for (let index = 0; index < 500; index += 1) nameOf(select(index + 2));

  expect(nameOf(select(1))).toBe('');
});

test('does not name short texts', () => {
  expect(nameAfter(createStatementNames(), 'COMMIT', 20)).toBe('');
});
