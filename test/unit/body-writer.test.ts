import { expect, test } from 'vitest';
import { contentKeyOf, OnDemand } from '../../src/domain/on-demand.js';
import { createBodyWriter } from '../../src/rest/http.js';

const counting = () => {
  const built: string[] = [];
  const valueFor = (key: string, size = 10) =>
    new OnDemand(key, async () => {
      built.push(key);
      return { text: key.padEnd(size) };
    });
  return { built, valueFor };
};

test('values with the same content are built and serialized once', async () => {
  const { built, valueFor } = counting();
  const writeBody = createBodyWriter();
  const body = await writeBody(valueFor('a'));
  expect(JSON.parse(body.toString())).toEqual({ text: 'a         ' });
  expect(await writeBody(valueFor('a'))).toBe(body);
  expect(await writeBody(valueFor('b'))).not.toEqual(body);
  expect(built).toEqual(['a', 'b']);
});

test('cached bodies are limited in bytes; the least recently used are evicted', async () => {
  const { built, valueFor } = counting();
  const writeBody = createBodyWriter(5_000);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await writeBody(valueFor(key, 1_000));
  await writeBody(valueFor('huge', 6_000));
  built.length = 0;
  for (const key of ['f', 'e', 'd', 'c', 'a', 'huge'])
    await writeBody(valueFor(key, key === 'huge' ? 6_000 : 1_000));
  expect(built).toEqual(['a', 'huge']);
});

test('a value that cannot be built is not cached', async () => {
  const { built, valueFor } = counting();
  const writeBody = createBodyWriter();
  const failing = new OnDemand('a', () => Promise.reject(new Error('no rows')));
  await expect(writeBody(failing)).rejects.toThrow('no rows');
  await writeBody(valueFor('a'));
  expect(built).toEqual(['a']);
});

test.each([
  [
    ['ab', 'c'],
    ['a', 'bc'],
  ],
  [
    ['a', null],
    [null, 'a'],
  ],
  [['a'], ['a', null]],
])('content keys of %o and %o differ', (one, other) => {
  expect(contentKeyOf(one)).not.toBe(contentKeyOf(other));
});
