import type { LiveStatus } from '@flaggraph/client/live/index.js';

const TEXTS: Record<LiveStatus['state'], string> = {
  connecting: 'Connecting …',
  open: 'Live',
  waiting: 'Connecting …',
  closed: 'Not live',
};

export const LiveBadge = ({ state }: { state: LiveStatus['state'] }) => (
  <p className="live" data-state={state} role="status">
    {TEXTS[state]}
  </p>
);
