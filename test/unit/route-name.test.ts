import { expect, test } from 'vitest';
import { createRouteName } from '../../src/http/route-name.js';
import { CONSOLE_PATHS } from '../../src/pages/console-paths.js';
import { REST_PATHS } from '../../src/rest/router.js';

const routeName = createRouteName([...REST_PATHS, ...CONSOLE_PATHS]);

test.each([
  ['/', '/'],
  ['/graphql', '/graphql'],
  ['/graphql/', '/graphql'],
  ['/api/admin/projects/web/health-report', '/api/admin/projects/:projectId/health-report'],
  ['/API/admin//addons/7/events/', '/api/admin/addons/:id/events'],
  ['/docs', '/docs/*'],
  ['/docs/guides/questions/what-changed', '/docs/*'],
  ['/assets/x-1.js', '/assets/*'],
  ['/assets/console/assets/main-1.js', '/assets/*'],
  ['/features/checkout', '/features/:name'],
  ['/features/%2Fodd%20name', '/features/:name'],
  ['/features', 'other'],
  ['/projects', '/projects'],
  ['/projects/web-shop', '/projects/:id'],
  ['/projects/web-shop/settings', 'other'],
  ['/integrations/7', '/integrations/:id'],
  ['/clean-up', '/clean-up'],
  ['/api/admin/projects/web', 'other'],
  ['/docsy', 'other'],
  [`/docs${'/x'.repeat(50)}`, 'other'],
  [null, 'other'],
])('%s is counted as %s', (path, name) => {
  expect(routeName(path)).toBe(name);
});
