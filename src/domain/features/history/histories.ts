import {
  type HistoryLists,
  type HistoryOwner,
  MAX_GENERAL,
  type Stored,
} from '../../../data/features/history.sql.js';
import { groupInSlices } from '../../../data/grouping.js';
import { isObject } from '../../json.js';
import { mapInSlices, sortInSlices } from '../../work.js';
import type { HistoryBudget } from './history-budget.js';
import type { HistoryEvent } from './history-event.js';

/** Few enough for a fraction of a slice. */
const ROWS_AT_ONCE = 100;

/** Events of one owner, oldest first, and whether older ones were omitted. */
export type History<Row> = { events: Row[]; isCut: boolean };

/** The event of a row, with its timestamp as a date. */
export const toEvent = <Row extends HistoryEvent>(stored: Stored<Row> & { key?: number }): Row => {
  const { key: _, createdAt, ...event } = stored;
  return { ...event, createdAt: createdAt === null ? null : new Date(createdAt) } as unknown as Row;
};

/** Whether an event without a feature name concerns this feature. */
const concerns = ({ type, data }: HistoryEvent, name: string): boolean =>
  type !== 'feature-import' || (isObject(data) && data['name'] === name);

/** Returns a function that builds the history of an owner, given by its index, on demand. */
export const historiesIn = async <Row extends HistoryEvent>(
  lists: HistoryLists<Row>,
  owners: readonly HistoryOwner[],
  budget: HistoryBudget,
): Promise<(key: number) => Promise<History<Row>>> => {
  budget.read(lists.own.length + lists.general.length);

  const ownOf = await groupInSlices(lists.own, ({ key }) => key);
  const general = lists.general.slice(0, MAX_GENERAL).map((row) => toEvent<Row>(row));
  // History before the oldest event of a truncated list is incomplete.
  const generalHorizon = lists.general.length > MAX_GENERAL ? (general.at(-1)?.id ?? 0) : 0;

  return async (key) => {
    const { name, limit } = owners[key] as HistoryOwner;
    const found = ownOf.get(key) ?? [];
    const own = await mapInSlices(found.slice(0, limit), toEvent<Row>, ROWS_AT_ONCE);
    const ownHorizon = found.length > limit ? (own.at(-1)?.id ?? 0) : 0;
    const horizon = Math.max(ownHorizon, generalHorizon);
    const events = [...own, ...general.filter((event) => concerns(event, name))].filter(
      ({ id }) => id >= horizon,
    );
    return {
      events: await sortInSlices(events, (one, other) => one.id - other.id),
      isCut: horizon > 0,
    };
  };
};
