import { expect, test } from 'vitest';
import { readOnce } from '../../src/graphql/read-once.js';

test('reads an input once per request', () => {
  const inputs: string[] = [];
  const read = readOnce(({ name }: { name: string }, now) => {
    inputs.push(name);
    return { name, now };
  });
  const [now, later] = [new Date(1), new Date(1)];
  const input = { name: 'filter' };
  expect(read(input, now)).toBe(read(input, now));
  expect(read({ name: 'other' }, now)).toEqual({ name: 'other', now });
  expect(read(input, later).now).toBe(later);
  expect(inputs).toEqual(['filter', 'other', 'filter']);
});

test('reads an invalid input again', () => {
  let count = 0;
  const read = readOnce(() => {
    count += 1;
    throw new Error(`invalid ${count}`);
  });
  const [input, now] = [{}, new Date()];
  expect(() => read(input, now)).toThrow('invalid 1');
  expect(() => read(input, now)).toThrow('invalid 2');
});
