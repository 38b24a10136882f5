import { type ComponentType, lazy } from 'react';
import { EventLog } from './event-log/event-log.js';

/** The path of each screen below that of the gateway. Screens other than the first are loaded when needed. */
export const ROUTES: readonly { path: string; screen: ComponentType }[] = [
  { path: '/', screen: EventLog },
  { path: '/features/:name', screen: lazy(() => import('./feature/feature-screen.js')) },
  { path: '/projects', screen: lazy(() => import('./projects/projects-screen.js')) },
  { path: '/projects/:id', screen: lazy(() => import('./projects/project-screen.js')) },
  { path: '/clean-up', screen: lazy(() => import('./clean-up/clean-up-screen.js')) },
  {
    path: '/integrations',
    screen: lazy(() => import('./integrations/integrations-screen.js')),
  },
  {
    path: '/integrations/:id',
    screen: lazy(() => import('./integrations/integration-screen.js')),
  },
];
