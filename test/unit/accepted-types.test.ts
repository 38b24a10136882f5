import { expect, test } from 'vitest';
import { acceptedTypes, namesType, servedTypes } from '../../src/http/accepted-types.js';

test.each([
  [undefined, undefined],
  ['*/*', '*/*'],
  ['text/event-stream', 'text/event-stream'],
  ['text/event-stream;q=0', undefined],
  ['text/event-stream; Q=0.00', undefined],
  ['text/event-stream;q=0;x=1, application/json', 'application/json'],
  ['application/json, text/event-stream ; q = 0.000', 'application/json'],
  [
    'text/event-stream;q=0.5,application/json;q=0.001',
    'text/event-stream;q=0.5,application/json;q=0.001',
  ],
  ['text/event-stream;charset=q=01', 'text/event-stream;charset=q=01'],
])('Accept: %s accepts %s', (header, accepted) => {
  expect(acceptedTypes(header)).toBe(accepted);
});

test('media types after the first 100 are ignored', () => {
  const many = (count: number, last: string) => `${'a/b,'.repeat(count)}${last}`;
  expect(namesType(many(99, 'text/html'), 'text/html')).toBe(true);
  expect(namesType(many(100, 'text/html'), 'text/html')).toBe(false);
  expect(servedTypes(many(99, 'application/json'))).toBe('application/json');
  expect(servedTypes(many(100, 'application/json'))).toBeNull();
  expect(acceptedTypes(many(200, 'c/d;q=0'))?.split(',')).toHaveLength(100);
});
