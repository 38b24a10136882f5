import type { ReactNode } from 'react';
import { useIdentity, type Viewer } from '../../session/use-identity.js';
import { useTitle } from '../../ui/use-title.js';

const Refused = ({ viewer }: { viewer: Viewer }) => {
  useTitle('Integrations');
  return (
    <section className="notice">
      <h1>Integrations</h1>
      <p>Only administrators can see integrations and their deliveries.</p>
      <p className="quiet">
        You are signed in as {viewer.name ?? viewer.authorName}, without the permission ADMIN.
      </p>
    </section>
  );
};

/** Integrations require the permission ADMIN. Without it, nothing is requested. */
export const AdminOnly = ({ children }: { children: ReactNode }) => {
  const { identity } = useIdentity();
  if (identity.state !== 'known') return null;
  return identity.viewer.isAdmin ? children : <Refused viewer={identity.viewer} />;
};
