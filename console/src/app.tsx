import { Suspense, useMemo, useSyncExternalStore } from 'react';
import { Provider } from 'urql';
import { Route, Router, Switch, useLocation } from 'wouter';
import { createClient } from './api/create-client.js';
import { ROUTES } from './screens/routes.js';
import { readToken, subscribeToToken } from './session/token.js';
import { settings } from './settings.js';
import { ErrorBoundary } from './ui/error-boundary.js';
import { Loading } from './ui/loading.js';
import { NotFound } from './ui/not-found.js';
import { Shell } from './ui/shell.js';

const Screens = () => {
  const [path] = useLocation();
  return (
    <ErrorBoundary key={path}>
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          {ROUTES.map(({ path, screen }) => (
            <Route key={path} path={path} component={screen} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
};

/** The console: one screen for each path. */
export const App = () => {
  const token = useSyncExternalStore(subscribeToToken, readToken);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new identity gets an empty cache.
  const client = useMemo(createClient, [token]);
  return (
    <Provider value={client} key={token}>
      <Router base={settings.basePath}>
        <Shell>
          <Screens />
        </Shell>
      </Router>
    </Provider>
  );
};
