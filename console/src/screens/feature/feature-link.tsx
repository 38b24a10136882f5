import { Link } from 'wouter';

export const FeatureLink = ({ name }: { name: string }) => (
  <Link href={`/features/${encodeURIComponent(name)}`}>{name}</Link>
);
