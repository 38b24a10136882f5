import { Link } from 'wouter';

/** The icon of the product, as in `web/icon.svg`, and its name. */
export const Brand = () => (
  <Link href="/" className="brand">
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0f5c5c" />
      <path d="M10 25V7" stroke="#fff" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M10 8h12l-3.5 4.5L22 17H10z" fill="#ffd166" />
      <circle cx="10" cy="25" r="2.5" fill="#fff" />
      <circle cx="22" cy="25" r="2.5" fill="#fff" />
      <path d="M10 25h12" stroke="#fff" strokeWidth="1.8" />
    </svg>
    <span>flaggraph</span>
  </Link>
);
