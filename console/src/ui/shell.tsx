import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { Account } from '../session/account.js';
import { SignIn } from '../session/sign-in.js';
import { useIdentity } from '../session/use-identity.js';
import { settings } from '../settings.js';
import { Loading } from './loading.js';
import { ProblemNotice } from './problem-notice.js';

const PLACES = [
  { path: '/', pattern: '/', name: 'Events' },
  { path: '/projects', pattern: '/projects/:id?', name: 'Projects' },
  { path: '/clean-up', pattern: '/clean-up', name: 'Clean-up' },
  { path: '/integrations', pattern: '/integrations/:id?', name: 'Integrations' },
];

const Place = ({ path, pattern, name }: (typeof PLACES)[number]) => {
  const [isHere] = useRoute(pattern);
  return (
    <li>
      <Link href={path} aria-current={isHere ? 'page' : undefined}>
        {name}
      </Link>
    </li>
  );
};

/** Header, navigation and the signed-in user around each screen. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const { identity, reload } = useIdentity();
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link href="/" className="brand">
          flaggraph
        </Link>
        <nav aria-label="Screens">
          <ul>
            {PLACES.map((place) => (
              <Place key={place.path} {...place} />
            ))}
          </ul>
        </nav>
        <nav aria-label="Tools" className="tools">
          {settings.hasGraphiql ? <a href={`${settings.basePath}/graphql`}>GraphiQL</a> : null}
          <a href={`${settings.basePath}/docs/`}>Docs</a>
        </nav>
        <Account identity={identity} />
      </header>
      <main id="main" tabIndex={-1}>
        {identity.state === 'loading' ? <Loading what="your permissions" /> : null}
        {identity.state === 'unknown' ? <SignIn message={identity.message} /> : null}
        {identity.state === 'failed' ? (
          <ProblemNotice problem={identity.problem} onRetry={reload} />
        ) : null}
        {identity.state === 'known' ? children : null}
      </main>
    </>
  );
};
