import { expect, test } from 'vitest';
import { createRouteName } from '../../src/http/route-name.js';
import { REST_PATHS } from '../../src/rest/router.js';

const routeName = createRouteName(REST_PATHS);

test.each([
  ['/', '/'],
  ['/graphql', '/graphql'],
  ['/graphql/', '/graphql'],
  ['/api/admin/projects/web/health-report', '/api/admin/projects/:projectId/health-report'],
  ['/API/admin//addons/7/events/', '/api/admin/addons/:id/events'],
  ['/docs', '/docs/*'],
  ['/docs/guides/questions/what-changed', '/docs/*'],
  ['/assets/x-1.js', '/assets/*'],
  ['/api/admin/projects/web', 'other'],
  ['/docsy', 'other'],
  [null, 'other'],
])('%s is counted as %s', (path, name) => {
  expect(routeName(path)).toBe(name);
});
