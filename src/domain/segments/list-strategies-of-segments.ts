import type { Db } from '../../data/db.js';
import {
  countStrategiesOfSegments as countRows,
  readStrategiesOfSegments,
  type SegmentStrategy,
  type StrategyPlace,
} from '../../data/features/segment-strategies.sql.js';
import { groupBy } from '../../data/grouping.js';
import type { Actor } from '../actor.js';
import { type KeysetPage, type Slice, sliceOf } from '../paging.js';
import { assertText } from '../text.js';

export type { SegmentStrategy, StrategyPlace };

export const strategyPlaceOf = ({
  featureName,
  id,
}: {
  featureName: string;
  id: string;
}): StrategyPlace => [featureName, id];

/** One page of strategies per segment, by feature name, in one statement. */
export const listStrategiesOfSegments = async (
  db: Db,
  actor: Actor,
  query: { segmentIds: readonly number[]; page: KeysetPage<StrategyPlace> },
): Promise<ReadonlyMap<number, Slice<SegmentStrategy>>> => {
  const { segmentIds, page } = query;
  assertText('The cursor', ...(page.after ?? []), ...(page.before ?? []));

  const rowsOf = groupBy(await readStrategiesOfSegments(db, actor, query), (row) => row.segmentId);
  return new Map(segmentIds.map((id) => [id, sliceOf(rowsOf.get(id) ?? [], page)]));
};

/** Counts the strategies per segment, up to `upTo` if given. */
export const countStrategiesOfSegments = (
  db: Db,
  actor: Actor,
  query: { segmentIds: readonly number[]; upTo?: number | undefined },
): Promise<ReadonlyMap<number, number>> => countRows(db, actor, query);
