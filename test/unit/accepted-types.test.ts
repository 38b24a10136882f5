import { expect, test } from 'vitest';
import { acceptedTypes } from '../../src/http/accepted-types.js';

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
