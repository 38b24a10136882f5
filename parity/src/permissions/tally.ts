import type { Edition } from './exceptions.js';
import type { Operation } from './operations.js';
import type { Decision } from './send.js';

type Side = Edition | 'gateway';
type Counts = Record<Side, { allowed: number; denied: number }>;

/** Counts allowed and rejected decisions by side and operation, and applied exceptions. */
export type Tally = {
  add(kind: Operation['kind'], decisions: Record<Side, Decision>): void;
  meet(ids: readonly string[]): void;
  /** Number of decisions over all operations. */
  total(): number;
  lines(): { kind: Operation['kind']; text: string; isOneSided: boolean }[];
  /** How often each exception applied. */
  met(): ReadonlyMap<string, number>;
};

/** Both outcomes must be frequent enough for a useful comparison. */
const LEAST_SHARE = 0.05;

const emptyCounts = (): Counts => ({
  unleash: { allowed: 0, denied: 0 },
  enterprise: { allowed: 0, denied: 0 },
  gateway: { allowed: 0, denied: 0 },
});

export const createTally = (): Tally => {
  const counts = new Map<Operation['kind'], Counts>();
  const exceptions = new Map<string, number>();
  return {
    add: (kind, decisions) => {
      const of = counts.get(kind) ?? emptyCounts();
      counts.set(kind, of);
      for (const side of ['unleash', 'enterprise', 'gateway'] as const) {
        of[side][decisions[side].outcome === 'allowed' ? 'allowed' : 'denied']++;
      }
    },
    meet: (ids) => {
      for (const id of ids) exceptions.set(id, (exceptions.get(id) ?? 0) + 1);
    },
    total: () =>
      [...counts.values()].reduce((sum, { gateway }) => sum + gateway.allowed + gateway.denied, 0),
    lines: () =>
      [...counts].map(([kind, { unleash, enterprise, gateway }]) => {
        const all = gateway.allowed + gateway.denied;
        const text = [
          `${all} decisions`,
          `Unleash allows ${unleash.allowed} and rejects ${unleash.denied}`,
          `with the paid rules ${enterprise.allowed} and ${enterprise.denied}`,
          `the gateway ${gateway.allowed} and ${gateway.denied}`,
        ].join('; ');
        const min = Math.min(gateway.allowed, gateway.denied, unleash.allowed, unleash.denied);
        return { kind, text, isOneSided: min < all * LEAST_SHARE };
      }),
    met: () => exceptions,
  };
};
