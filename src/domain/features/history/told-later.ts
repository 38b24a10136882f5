import type { Aspects, EnvironmentState } from './feature-state.js';
import { type HistoryEvent, isAbout } from './history-event.js';
import { variantsIn } from './recorded-shapes.js';
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

const VARYING = 'feature-environment-variants-updated';

const TURNS: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-import',
  'feature-updated',
  'feature-deleted',
  'drop-features',
]);

/** So many later events of a feature are asked what was before them. */
export const MOST_LATER = 20;

/** Events of a feature that tell how it was before them, or from which on nothing is told of before. */
export const TELLING_TYPES: readonly string[] = [
  'feature-metadata-updated',
  VARYING,
  'feature-variants-updated',
  'feature-project-change',
  ...TOUCHED.keys(),
  ...TURNS,
];

/** The events after a moment that may tell of it, or end what could be told: of the feature's own only the first. */
export const laterThan = <Event extends HistoryEvent>(
  events: readonly Event[],
  time: Date,
): Event[] => {
  let own = 0;
  return events.filter(({ createdAt, featureName, type }) => {
    if (createdAt === null || createdAt <= time) return false;
    if (featureName === null) return true;
    if (own === MOST_LATER || !TELLING_TYPES.includes(type)) return false;
    own += 1;
    return true;
  });
};

/** Fills in aspects nobody told so far from what the first change of each recorded as its past. */
export const aspectsToldLater = (aspects: Aspects, later: readonly HistoryEvent[]): Aspects => {
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
const mayVary = (event: HistoryEvent, environment: string): boolean =>
  TURNS.has(event.type) ||
  event.type === 'feature-variants-updated' ||
  // Another project may lose the environment, which concerns the feature from here on.
  event.type === 'feature-project-change' ||
  (event.type === VARYING && (event.environment ?? environment) === environment) ||
  isAbout(event, environment) !== false;

/** The variants of an environment before the first change of them, where nobody told so far. */
export const variantsToldLater = (
  variants: Variants,
  environment: string,
  later: readonly HistoryEvent[],
): Variants => {
  if (variants !== null) return variants;
  const first = later.find((event) => mayVary(event, environment));
  return first?.type === VARYING && first.environment !== null ? variantsIn(first.preData) : null;
};
