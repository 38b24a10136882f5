import { builder } from '../builder.js';

/** Stored names by enum value. */
export const LIFECYCLE_STAGES = {
  INITIAL: 'initial',
  PRE_LIVE: 'pre-live',
  LIVE: 'live',
  COMPLETED: 'completed',
  ARCHIVED: 'archived',
} as const;

export const LifecycleStage = builder.enumType('LifecycleStage', {
  description: 'Lifecycle stage of a feature.',
  values: {
    INITIAL: { description: 'Created; no application has used it yet.' },
    PRE_LIVE: { description: 'Used in environments other than production.' },
    LIVE: { description: 'Used in production.' },
    COMPLETED: { description: 'Marked as completed: it can be removed from the code.' },
    ARCHIVED: { description: 'Archived.' },
    OTHER: { description: 'A stage unknown to this version; see its stored name.' },
  },
} as const);

type KnownStage = keyof typeof LIFECYCLE_STAGES;

const BY_NAME = new Map(
  Object.entries(LIFECYCLE_STAGES).map(([value, name]) => [name as string, value as KnownStage]),
);

export const stageOf = (name: string): KnownStage | 'OTHER' => BY_NAME.get(name) ?? 'OTHER';
