import { type ComponentType, createElement, lazy } from 'react';
import { ScreenUnavailable } from '../ui/error-boundary.js';
import { EventLog } from './event-log/event-log.js';

type Screen = { default: ComponentType };

/** Loaded when it is first shown. React keeps a failure for ever, so another attempt is another component. */
const later = (load: () => Promise<Screen>): ComponentType => {
  const attempt = () =>
    lazy(() =>
      load().catch((cause: unknown) => {
        throw new ScreenUnavailable(cause, () => {
          current = attempt();
        });
      }),
    );
  let current = attempt();
  return () => createElement(current);
};

/** The path of each screen below that of the gateway. Screens other than the first are loaded when needed. */
export const ROUTES: readonly { path: string; screen: ComponentType }[] = [
  { path: '/', screen: EventLog },
  { path: '/features/:name', screen: later(() => import('./feature/feature-screen.js')) },
  { path: '/projects', screen: later(() => import('./projects/projects-screen.js')) },
  { path: '/projects/:id', screen: later(() => import('./projects/project-screen.js')) },
  { path: '/clean-up', screen: later(() => import('./clean-up/clean-up-screen.js')) },
  {
    path: '/integrations',
    screen: later(() => import('./integrations/integrations-screen.js')),
  },
  {
    path: '/integrations/:id',
    screen: later(() => import('./integrations/integration-screen.js')),
  },
];
