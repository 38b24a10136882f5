import type { Aspects, EnvironmentState } from './feature-state.js';
import { type HistoryEvent, isAbout } from './history-event.js';
import { variantsIn } from './recorded-shapes.js';
import { type Metadata, metadataIn } from './replay-metadata.js';

type Variants = EnvironmentState['variants'];

/** Aspects whose previous values an update of the feature records. */
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

const RESET_TYPES: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-import',
  'feature-updated',
  'feature-deleted',
  'drop-features',
]);

/** Maximum number of later events of a feature that are searched for previous values. */
export const MAX_LATER_EVENTS = 20;

/** Events of a feature that record its previous state, or end the search for it. */
export const BACKFILL_TYPES: readonly string[] = [
  'feature-metadata-updated',
  VARYING,
  'feature-variants-updated',
  'feature-project-change',
  ...TOUCHED.keys(),
  ...RESET_TYPES,
];

/** Events after a timestamp that may record the state at it, or end the search; of the feature's own only the first. */
export const laterThan = <Event extends HistoryEvent>(
  events: readonly Event[],
  time: Date,
): Event[] => {
  let own = 0;
  return events.filter(({ createdAt, featureName, type }) => {
    if (createdAt === null || createdAt <= time) return false;
    if (featureName === null) return true;
    if (own === MAX_LATER_EVENTS || !BACKFILL_TYPES.includes(type)) return false;
    own += 1;
    return true;
  });
};

/** Fills in unknown aspects with the previous values that the first change of each recorded. */
export const backfillAspects = (aspects: Aspects, later: readonly HistoryEvent[]): Aspects => {
  const open = new Set(RECORDED.filter((name) => aspects[name] === null));
  for (const event of later) {
    if (event.type === 'feature-metadata-updated' || event.type === 'feature-deleted') {
      const before = Object.entries(metadataIn(event.preData));
      const backfilled = before.filter(([name]) => open.has(name as keyof Metadata));
      return { ...aspects, ...Object.fromEntries(backfilled) };
    }
    if (open.size === 0 || RESET_TYPES.has(event.type)) return aspects;
    const touched = TOUCHED.get(event.type);
    if (touched) open.delete(touched);
  }
  return aspects;
};

/** Whether an event may have changed the variants of an environment. */
const mayVary = (event: HistoryEvent, environment: string): boolean =>
  RESET_TYPES.has(event.type) ||
  event.type === 'feature-variants-updated' ||
  // From here on, the environments of another project concern the feature.
  event.type === 'feature-project-change' ||
  (event.type === VARYING && (event.environment ?? environment) === environment) ||
  isAbout(event, environment) !== false;

/** Variants of an environment before their first change, if unknown so far. */
export const backfillVariants = (
  variants: Variants,
  environment: string,
  later: readonly HistoryEvent[],
): Variants => {
  if (variants !== null) return variants;
  const first = later.find((event) => mayVary(event, environment));
  return first?.type === VARYING && first.environment !== null ? variantsIn(first.preData) : null;
};
