import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTitle } from './use-title.js';

/** A page that does not exist, or an object that does not. */
export const Missing = ({ title, children }: { title: string; children: ReactNode }) => {
  useTitle(title);
  return (
    <section className="notice missing">
      <p className="missing-sign" aria-hidden="true">
        404
      </p>
      <h1>{title}</h1>
      {children}
    </section>
  );
};

export const NotFound = () => (
  <Missing title="Page not found">
    <p>
      Nothing is at this address. Go to the <Link href="/">event log</Link>.
    </p>
  </Missing>
);
