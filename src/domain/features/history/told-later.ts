import type { Aspects, EnvironmentState } from './feature-state.js';
import { isAbout } from './history-event.js';
import { listIn, type PlacedEvent } from './replay-environments.js';
import { type Metadata, metadataIn } from './replay-metadata.js';

type Variants = EnvironmentState['variants'];

/** Aspects that a change of the feature itself records as they were before. */
const RECORDED: readonly (keyof Metadata)[] = [
  'type',
  'description',
  'stale',
  'impressionData',
  'archived',
];

const TOUCHED: ReadonlyMap<string, keyof Metadata> = new Map([
  ['feature-stale-on', 'stale'],
  ['feature-stale-off', 'stale'],
  ['feature-archived', 'archived'],
  ['feature-revived', 'archived'],
]);

const TURNS: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-import',
  'feature-updated',
  'feature-deleted',
  'drop-features',
]);

/** Events of a feature that tell how it was before them, or from which on nothing is told of before. */
export const TELLING_TYPES: readonly string[] = [
  'feature-metadata-updated',
  'feature-environment-variants-updated',
  'feature-variants-updated',
  'feature-project-change',
  ...TOUCHED.keys(),
  ...TURNS,
];

/** Fills in aspects nobody told so far from what the first change of each recorded as its past. */
export const aspectsToldLater = (aspects: Aspects, later: readonly PlacedEvent[]): Aspects => {
  const open = new Set(RECORDED.filter((name) => aspects[name] === null));
  for (const event of later) {
    if (event.type === 'feature-metadata-updated' || event.type === 'feature-deleted') {
      const before = Object.entries(metadataIn(event.preData));
      const learned = before.filter(([name]) => open.has(name as keyof Metadata));
      return { ...aspects, ...Object.fromEntries(learned) };
    }
    if (open.size === 0 || TURNS.has(event.type)) return aspects;
    const touched = TOUCHED.get(event.type);
    if (touched) open.delete(touched);
  }
  return aspects;
};

/** Whether an event may have changed the variants of an environment. */
const mayVary = (event: PlacedEvent, environment: string): boolean =>
  TURNS.has(event.type) ||
  event.type === 'feature-variants-updated' ||
  // Another project may lose the environment, which concerns the feature from here on.
  event.type === 'feature-project-change' ||
  (event.type !== 'features-imported' && isAbout(event, environment));

/** The variants of an environment before the first change of them, where nobody told so far. */
export const variantsToldLater = (
  variants: Variants,
  environment: string,
  later: readonly PlacedEvent[],
): Variants => {
  if (variants !== null) return variants;
  const first = later.find((event) => mayVary(event, environment));
  return first?.type === 'feature-environment-variants-updated'
    ? listIn(first.preData, 'variants')
    : null;
};
