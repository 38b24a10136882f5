import type { Part } from './part.js';

export const REQUESTS = 'requests';

/** What is proved beside the compared requests; loaded when wanted, since a browser comes with one of them. */
export const PARTS: Readonly<
  Record<string, { load: () => Promise<Part>; suits: (version: string) => boolean }>
> = {
  coexistence: {
    load: async () => (await import('./coexistence/run.js')).runCoexistence,
    suits: () => true,
  },
  'admin-ui': {
    load: async () => (await import('./admin-ui/run.js')).runAdminUi,
    suits: () => true,
  },
  // Begins with the oldest version and ends with the newest.
  upgrade: {
    load: async () => (await import('./upgrade/run.js')).runUpgrade,
    suits: (version) => version === '6.6.0',
  },
};
