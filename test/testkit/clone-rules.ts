import { type CloneRules, DEFAULT_CLONE_LIMITS } from '../../src/domain/features/clone-limits.js';
import { createCloneQueue } from '../../src/domain/features/clone-queue.js';

/** The rules for clones on tables that the gateway created. */
export const CLONE_RULES: CloneRules = {
  limits: DEFAULT_CLONE_LIMITS,
  unleash: {
    major: 6,
    hasEventGroups: false,
    hasSessions: false,
    hasFeatureUsage: true,
    hasReleasePlans: true,
    hasChangeRequests: true,
  },
};

export const CLONE_CONTEXT = { ...CLONE_RULES, queue: createCloneQueue() };
