import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { FindFeature } from '../screens/find-feature.js';
import { Account } from '../session/account.js';
import { SignIn } from '../session/sign-in.js';
import { useIdentity } from '../session/use-identity.js';
import { Brand } from './brand.js';
import { KeyHelp } from './key-help.js';
import { Loading } from './loading.js';
import { OfflineNotice } from './offline-notice.js';
import { ProblemNotice } from './problem-notice.js';
import { TOOLS } from './tools.js';
import { useFocusOnNavigation } from './use-focus-on-navigation.js';
import { useIsNarrow } from './use-is-narrow.js';
import { usePageTitle } from './use-title.js';

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

/** Links to other pages of the gateway. On phones they are in the menu of the account. */
const Tools = () => (
  <nav aria-label="Tools" className="tools">
    {TOOLS.map(({ name, href }) => (
      <a key={href} href={href}>
        {name}
      </a>
    ))}
  </nav>
);

/** Header, navigation and the signed-in user around each screen. */
export const Shell = ({ children }: { children: ReactNode }) => {
  const { identity, reload } = useIdentity();
  const main = useFocusOnNavigation();
  const title = usePageTitle();
  const isNarrow = useIsNarrow();
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Brand />
        <nav aria-label="Screens" className="places">
          <ul>
            {PLACES.map((place) => (
              <Place key={place.path} {...place} />
            ))}
          </ul>
        </nav>
        {identity.state === 'known' ? <FindFeature /> : <span className="find" />}
        {isNarrow ? null : (
          <>
            <Tools />
            <KeyHelp />
          </>
        )}
        <Account identity={identity} hasTools={isNarrow} />
      </header>
      <p className="hidden" role="status">
        {title}
      </p>
      <main id="main" tabIndex={-1} ref={main}>
        {identity.state === 'loading' ? <Loading what="your permissions" /> : null}
        {identity.state === 'unknown' ? <SignIn message={identity.message} /> : null}
        {identity.state === 'failed' ? (
          <ProblemNotice problem={identity.problem} onRetry={reload} />
        ) : null}
        {identity.state === 'known' ? children : null}
      </main>
      <OfflineNotice />
    </>
  );
};
