/** A value that an event sets; before, it was the opposite. */
export type Switch = { readonly key: string; readonly value: boolean };

/** Types that switch one value. Unleash writes them without a payload, and only if the value changes. */
export const SWITCHES: ReadonlyMap<string, Switch> = new Map([
  ['feature-environment-enabled', { key: 'enabled', value: true }],
  ['feature-environment-disabled', { key: 'enabled', value: false }],
  ['feature-archived', { key: 'archived', value: true }],
  ['feature-revived', { key: 'archived', value: false }],
  ['feature-stale-on', { key: 'stale', value: true }],
  ['feature-stale-off', { key: 'stale', value: false }],
  ['feature-potentially-stale-on', { key: 'potentiallyStale', value: true }],
  ['project-archived', { key: 'archived', value: true }],
  ['project-revived', { key: 'archived', value: false }],
]);
