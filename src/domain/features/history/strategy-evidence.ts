import { isObject } from '../../json.js';
import { environmentOf, type HistoryEvent, isDeletion } from './history-event.js';
import { sortOrderOf } from './replay-strategies.js';

/** A strategy in the database. */
export type StoredStrategy = {
  featureName: string;
  environmentName: string;
  id: string;
  segmentIds: readonly number[];
};

/** What an event says about strategies before it. */
export type StrategyEvidence = {
  id: number;
  type: string;
  createdAt: Date | null;
  environment: string | null;
  /** Null if the event does not name one. */
  strategyId: string | null;
  /** Segments before the event; null if it does not record them. */
  segments: readonly number[] | null;
  /** Whether the event may change the sort order of its strategy. */
  mayMove: boolean;
  /** IDs in the order before the event. */
  order: readonly string[] | null;
};

/** Events of a feature that record something about strategies before them, or remove one. */
const NAMING_TYPES: readonly string[] = [
  'feature-strategy-update',
  'feature-strategy-remove',
  'strategy-order-changed',
];

/** Maximum number of later events of a feature that are searched. */
export const MAX_EVIDENCE = 500;

/** Events that delete strategies without naming them. */
const DELETING_TYPES: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-deleted',
  'feature-import',
  'feature-updated',
  'features-imported',
  'drop-features',
  'drop-environments',
  'environment-deleted',
]);

/** Events of a feature that say something about its strategies before them. */
export const EVIDENCE_TYPES: readonly string[] = [...NAMING_TYPES, ...DELETING_TYPES];

const SEGMENT_DELETION = 'segment-deleted';

/** Events of no single feature that concern its strategies or their segments. */
export const EVIDENCE_GENERAL_TYPES: readonly string[] = [SEGMENT_DELETION];

const RELEVANT: ReadonlySet<string> = new Set([...EVIDENCE_TYPES, SEGMENT_DELETION]);

const integersIn = (list: unknown): readonly number[] | null =>
  Array.isArray(list) && list.every(Number.isInteger) ? list : null;

const textsIn = (list: unknown): readonly string[] | null =>
  Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : null;

/** The segment that an event deletes; null if it does not say. */
export const deletedSegment = ({ data, preData }: Pick<HistoryEvent, 'data' | 'preData'>) => {
  const segment = preData ?? data;
  const id = isObject(segment) ? segment['id'] : undefined;
  return typeof id === 'number' ? id : null;
};

type EvidenceSource = Pick<
  HistoryEvent,
  'id' | 'type' | 'createdAt' | 'environment' | 'data' | 'preData'
>;

/** Null if the event says nothing about strategies. */
export const evidenceIn = (event: EvidenceSource): StrategyEvidence | null => {
  const { id, type, createdAt, data, preData } = event;
  if (!RELEVANT.has(type) || (type === 'feature-deleted' && !isDeletion(event))) return null;
  const before = isObject(preData) ? preData : {};
  const named = type === 'feature-strategy-remove' ? (preData ?? data) : preData;
  const strategyId = isObject(named) ? named['id'] : undefined;
  const segment = type === SEGMENT_DELETION ? deletedSegment(event) : null;
  return {
    id,
    type,
    createdAt,
    environment: environmentOf(event),
    strategyId: typeof strategyId === 'string' ? strategyId : null,
    segments: segment === null ? integersIn(before['segments']) : [segment],
    mayMove: sortOrderOf(data) === null || sortOrderOf(data) !== sortOrderOf(preData),
    order: textsIn(before['strategyIds']),
  };
};

const isSameSet = (some: ReadonlySet<number>, others: readonly number[]): boolean =>
  some.size === new Set(others).size && others.every((id) => some.has(id));

/** The evidence about one environment of a feature after a timestamp. */
export type LaterEvidence = {
  /** Oldest first. */
  events: readonly StrategyEvidence[];
  /** Whether events are missing after these. */
  isCut: boolean;
  /** Strategies that the feature has now in this environment, in order. */
  stored: readonly StoredStrategy[];
};

/**
 * Whether later evidence agrees with the recorded segments of a strategy. Unleash can change them without an event, and
 * records none when it deletes the strategy.
 */
export const areSegmentsConfirmed = (
  strategyId: string,
  recordedIds: readonly number[],
  { events, isCut, stored }: LaterEvidence,
): boolean => {
  const expected = new Set(recordedIds);
  const present = stored.find(({ id }) => id === strategyId);
  for (const { type, segments, strategyId: named } of events) {
    if (type === SEGMENT_DELETION) {
      for (const id of segments ?? []) expected.delete(id);
    } else if (DELETING_TYPES.has(type)) {
      if (!present) return false;
    } else if (type === 'feature-strategy-remove' && (named ?? strategyId) === strategyId) {
      return false;
    } else if (type === 'feature-strategy-update' && named === strategyId) {
      // Unleash before segments records none.
      return segments === null || isSameSet(expected, segments);
    }
  }
  if (isCut) return false;
  return !present || isSameSet(expected, present.segmentIds);
};

/** The order of strategies that later evidence shows; null if it does not. */
export const laterOrderOf = (
  ids: readonly string[],
  { events, isCut, stored }: LaterEvidence,
): readonly string[] | null => {
  const among = (order: readonly string[]) => {
    const known = order.filter((id) => ids.includes(id));
    return known.length === ids.length ? known : null;
  };
  for (const { type, strategyId, order, mayMove } of events) {
    if (type === 'strategy-order-changed') return order && among(order);
    const isOne = strategyId === null || ids.includes(strategyId);
    if (type === 'feature-strategy-remove' && isOne) return null;
    if (type === 'feature-strategy-update' && isOne && mayMove) return null;
    if (DELETING_TYPES.has(type)) break;
  }
  return isCut ? null : among(stored.map(({ id }) => id));
};
