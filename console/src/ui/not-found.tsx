import { Link } from 'wouter';

export const NotFound = () => (
  <section className="notice">
    <h1>Page not found</h1>
    <p>
      Nothing is at this address. Go to the <Link href="/">event log</Link>.
    </p>
  </section>
);
