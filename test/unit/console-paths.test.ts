import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CONSOLE_PATHS, isConsolePath } from '../../src/pages/console-paths.js';

test('the gateway serves the console at the path of each screen', () => {
  const routes = readFileSync(
    new URL('../../console/src/screens/routes.ts', import.meta.url),
    'utf8',
  );
  const paths = [...routes.matchAll(/path: '([^']+)'/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.sort()).toEqual([...CONSOLE_PATHS].sort());
});

test.each([
  '/',
  '/projects',
  '/projects/',
  '/projects/web-shop',
  '/features/a%2Fb',
  '/integrations/7',
])('%s is a screen', (path) => {
  expect(isConsolePath(path)).toBe(true);
});

test.each(['//', '/features', '/projects/a/b', '/clean-up/x', '/projectsy', '/Projects'])(
  '%s is not a screen',
  (path) => {
    expect(isConsolePath(path)).toBe(false);
  },
);
