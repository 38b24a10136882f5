import { expect, test } from 'vitest';
import { lineOf } from '../../src/observability/logger.js';

test.each([
  [
    { requestId: '1', method: 'POST', path: '/graphql', status: 200, ms: 3, ip: '::1' },
    'POST /graphql 200 3 ms',
  ],
  [
    {
      requestId: '1',
      method: 'POST',
      path: '/graphql',
      status: 429,
      ms: 3,
      operationType: 'query',
      operation: 'Names',
      errorCode: 'RATE_LIMITED',
      actor: { kind: 'USER', userId: 7 },
    },
    'POST /graphql 429 3 ms query Names RATE_LIMITED',
  ],
  [{ requestId: '1', method: 'GET', path: '/x', aborted: true, ms: 3 }, 'GET /x aborted 3 ms'],
  [
    {
      requestId: '1',
      method: 'POST',
      path: '/graphql',
      ms: 1200,
      operationType: 'query',
      operation: 'Names',
      msg: 'slow operation',
    },
    'slow operation: POST /graphql 1200 ms query Names',
  ],
  [{ msg: 'unexpected error', errorId: 'a-b' }, 'unexpected error (a-b)'],
  [{ msg: 'stopping', signal: 'SIGTERM' }, 'stopping'],
])('%o is one line in a terminal: %s', (line, expected) => {
  expect(lineOf(line, 'msg')).toBe(expected);
});
