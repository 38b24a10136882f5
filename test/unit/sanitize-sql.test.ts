import { expect, test } from 'vitest';
import { sanitizeSql, sqlOperation } from '../../src/data/sanitize-sql.js';

test.each([
  ['select * from t where a = $1 and b = $12', 'select * from t where a = $1 and b = $12'],
  ["select * from t where name = 'secret'", 'select * from t where name = ?'],
  ["select 'it''s secret', 'b'", 'select ?, ?'],
  ["select E'a\\'secret' from t", 'select ? from t'],
  ['select $$secret$$, $tag$it is $$ secret$tag$ from t', 'select ?, ? from t'],
  ['select 1, -2.5, 1e9, t2.a1 from t2 limit 50', 'select ?, -?, ?, t2.a1 from t2 limit ?'],
  ['select "it\'s", "a""1" from "t"', 'select "it\'s", "a""1" from "t"'],
  ['select a -- secret\n  from t /* secret\n 2 */ where b', 'select a from t where b'],
  ["select '-- not a comment', a from t", 'select ?, a from t'],
  ["select größe1 from t where x='1'", 'select größe1 from t where x=?'],
])('%s becomes %s', (sql, text) => {
  expect(sanitizeSql(sql)).toBe(text);
});

test('long statements are truncated after literals are removed', () => {
  const text = sanitizeSql(`select '${'secret'.repeat(1_000)}', ${'a, '.repeat(2_000)} b`);
  expect(text).toHaveLength(2_001);
  expect(text).toMatch(/^select \?, a, .*…$/);
});

test.each([
  ['SELECT 1', 'select'],
  ['  with a as (select 1) select * from a', 'select'],
  ['with a as (insert into t values ($1) returning *) select * from a', 'insert'],
  ['INSERT INTO t VALUES ($1)', 'insert'],
  ['update t set a = $1', 'update'],
  ['COMMIT', 'commit'],
  ['BEGIN ISOLATION LEVEL SERIALIZABLE', 'begin'],
  ['SET statement_timeout = 1', 'other'],
  ['', 'other'],
])('%s is the operation %s', (sql, operation) => {
  expect(sqlOperation(sql)).toBe(operation);
});
