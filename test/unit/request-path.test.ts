import { expect, test } from 'vitest';
import { readPath } from '../../src/http/request-path.js';

test('separates the path below the base path from the query string', () => {
  expect(readPath('/unleash/graphql?query=%7B', '/unleash')).toEqual({
    loggedPath: '/unleash/graphql',
    path: '/graphql',
    query: 'query=%7B',
  });
  expect(readPath('/other', '/unleash').path).toBeNull();
});

test('cuts off long paths for the log only', () => {
  const long = `/api/${'a/'.repeat(5_000)}`;
  const { loggedPath, path } = readPath(long, '');
  expect(path).toBe(long);
  expect(loggedPath).toBe(`${long.slice(0, 500)}…`);
});
