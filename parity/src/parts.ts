import type { Part } from './part.js';

export const REQUESTS = 'requests';
export const VERSIONS = ['6.6.0', '6.10.1', '7.6.5', '8.2.0'];

const OLDEST = VERSIONS.slice(0, 1);

type PartEntry = {
  load: () => Promise<Part>;
  suits: (version: string) => boolean;
  /** Versions it runs for by default. Default: the oldest. */
  versions?: readonly string[];
  /** True: it has time limits, so nothing else runs beside it. */
  isTimed?: boolean;
};

/** Checks other than the compared requests. Those in a browser come first, and the longest of the others last. Loaded on demand, because some need a browser. */
export const PARTS: Readonly<Record<string, PartEntry>> = {
  'admin-ui': {
    load: async () => (await import('./admin-ui/run.js')).runAdminUi,
    suits: () => true,
    // The admin UI differs most between these two.
    versions: ['6.6.0', '8.2.0'],
  },
  console: {
    load: async () => (await import('./console/run.js')).runConsole,
    suits: () => true,
    // The oldest and the newest.
    versions: ['6.6.0', '8.2.0'],
  },
  // Starts with the oldest version and upgrades to the newest.
  upgrade: {
    load: async () => (await import('./upgrade/run.js')).runUpgrade,
    suits: (version) => version === '6.6.0',
    isTimed: true,
  },
  history: {
    load: async () => (await import('./history/run.js')).runHistory,
    suits: () => true,
    // Event payloads differ most between these two.
    versions: ['6.6.0', '8.2.0'],
  },
  coexistence: {
    load: async () => (await import('./coexistence/run.js')).runCoexistence,
    suits: () => true,
    isTimed: true,
  },
  permissions: {
    load: async () => (await import('./permissions/run.js')).runPermissions,
    suits: () => true,
    // 8.x requires more permissions than earlier versions.
    versions: ['6.6.0', '8.2.0'],
  },
};

/** Versions of Unleash that a part, or the compared requests, runs for by default. */
export const defaultVersions = (part: string): readonly string[] => PARTS[part]?.versions ?? OLDEST;
