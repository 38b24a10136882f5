/** The stages in the order in which a feature passes through them. */
export const STAGES: readonly string[] = ['initial', 'pre-live', 'live', 'completed', 'archived'];
