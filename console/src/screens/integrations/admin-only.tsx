import type { ReactNode } from 'react';
import { useIdentity } from '../../session/use-identity.js';

/** Integrations require the permission ADMIN. Without it, nothing is requested. */
export const AdminOnly = ({ children }: { children: ReactNode }) => {
  const { identity } = useIdentity();
  if (identity.state !== 'known') return null;
  if (identity.viewer.isAdmin) return children;
  return (
    <section className="notice">
      <h1>Integrations</h1>
      <p>Only administrators can see integrations and their deliveries.</p>
      <p className="quiet">
        You are signed in as {identity.viewer.name ?? identity.viewer.authorName}, without the
        permission ADMIN.
      </p>
    </section>
  );
};
