import type { Db } from '../../../data/db.js';
import { matchingEvents } from '../../../data/events/event-conditions.sql.js';
import type { EventRow } from '../../../data/events/event-rows.sql.js';
import { type EvidenceRow, readAsOfLists } from '../../../data/features/features-as-of.sql.js';
import { groupBy, indexBy } from '../../../data/grouping.js';
import type { Actor } from '../../actor.js';
import { BadDataError } from '../../errors.js';
import type { EventLogCache } from '../../events/event-log-cache.js';
import { callerOf, type ScanLimiter } from '../../scan-limiter.js';
import { sortInSlices, visitInSlices } from '../../work.js';
import { BACKFILL_TYPES, MAX_LATER_EVENTS } from './backfill.js';
import { SWITCHING_GENERAL_TYPES } from './enabled-state.js';
import { type FeatureAsOf, featureAsOf } from './feature-as-of.js';
import { historiesIn, toEvent } from './histories.js';
import { createHistoryBudget, type HistoryBudget } from './history-budget.js';
import { faultOfPast } from './past-timestamp.js';
import { MEMBERSHIP_TYPES } from './project-environments.js';
import { UNTAGGING_TYPES } from './replay-tags.js';
import {
  EVIDENCE_GENERAL_TYPES,
  EVIDENCE_TYPES,
  evidenceIn,
  MAX_EVIDENCE,
  type StrategyEvidence,
} from './strategy-evidence.js';

/** Few enough for a fraction of a slice. */
const EVENTS_AT_ONCE = 200;

const byId = (one: { id: number }, other: { id: number }): number => one.id - other.id;

/** Maximum number of events replayed for one feature, the newest before the timestamp. */
const MAX_REPLAYED = 5_000;

/** Limits the events read for one request; each can be replayed for several timestamps. */
export const createReplayBudget = (): HistoryBudget =>
  createHistoryBudget({ field: 'asOf', requested: 'timestamps', read: 20_000, walked: 200_000 });

/** A feature and a timestamp. */
export type AsOfQuery = { name: string; time: Date };

const faultOf = ({ time }: AsOfQuery): BadDataError | null => {
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) {
    return BadDataError.of({ message: `'time' must be in the years 1 to 9999.` });
  }
  return faultOfPast('time', time);
};

/** Timestamps have millisecond precision, so each includes all events of its millisecond. */
const endOf = (time: Date): number => time.getTime() + 1;

const environmentSets = (rows: readonly { projectId: string; environment: string }[]) =>
  new Map(
    [...groupBy(rows, ({ projectId }) => projectId)].map(([projectId, members]) => [
      projectId,
      new Set(members.map(({ environment }) => environment)),
    ]),
  );

/** What the events up to the last timestamp and those after it say about strategies before them. */
const evidenceOf = async (
  events: readonly EventRow[],
  later: readonly EvidenceRow[],
): Promise<StrategyEvidence[]> => {
  const dated = later.map(({ createdAt, ...row }) => ({
    ...row,
    createdAt: createdAt === null ? null : new Date(createdAt),
  }));
  const found: StrategyEvidence[] = [];
  const visit = (event: Parameters<typeof evidenceIn>[0]): void => {
    const evidence = evidenceIn(event);
    if (evidence) found.push(evidence);
  };
  await visitInSlices([...events, ...dated], visit, EVENTS_AT_ONCE);
  return sortInSlices(found, byId);
};

/** History of features up to the last of their timestamps, and the events right after it. */
const readPasts = async (
  db: Db,
  actor: Actor,
  queriesOf: ReadonlyMap<string, readonly AsOfQuery[]>,
  budget: HistoryBudget,
) => {
  const owners = [...queriesOf].map(([name, queries]) => ({
    name,
    end: Math.max(...queries.map(({ time }) => endOf(time))),
    limit: MAX_REPLAYED,
  }));
  const lists = await readAsOfLists(db, {
    owners,
    visible: matchingEvents(actor, {}),
    generalTypes: [
      ...SWITCHING_GENERAL_TYPES,
      ...UNTAGGING_TYPES,
      ...MEMBERSHIP_TYPES,
      ...EVIDENCE_GENERAL_TYPES,
      'features-imported',
    ],
    maxOwn: budget.left,
    laterTypes: BACKFILL_TYPES,
    maxLater: MAX_LATER_EVENTS,
    evidenceTypes: EVIDENCE_TYPES,
    maxEvidence: MAX_EVIDENCE,
  });
  budget.read(lists.evidence.length);
  const historyOf = await historiesIn<EventRow>(lists, owners, budget);
  const nextOf = indexBy(lists.next, ({ key }) => key);
  const laterByKey = groupBy(lists.later, ({ key }) => key);
  const evidenceByKey = groupBy(lists.evidence, ({ key }) => key);
  const strategiesOf = groupBy(lists.strategies, ({ featureName }) => featureName);
  const environmentsOfProject = environmentSets(lists.projectEnvironments);
  const environmentsOf = groupBy(lists.places, ({ featureName }) => featureName);
  const [began] = lists.began;
  return owners.map(({ name, end }, key) => ({
    name,
    end,
    /** Built on demand: building many at once would duplicate all events. */
    read: async () => {
      const { events, isCut } = await historyOf(key);
      const rows = [nextOf.get(key) ?? [], laterByKey.get(key) ?? []].flat();
      const beyond = rows.map((row) => toEvent<EventRow>(row));
      const known = indexBy([...events, ...beyond], ({ id }) => id);
      const evidence = evidenceByKey.get(key) ?? [];
      return {
        events: await sortInSlices([...known.values()], byId),
        isCut,
        environmentsOfProject,
        strategies: {
          evidence: await evidenceOf(events, evidence.slice(0, MAX_EVIDENCE)),
          isCut: evidence.length > MAX_EVIDENCE,
          stored: strategiesOf.get(name) ?? [],
        },
        began: began?.time ?? null,
        environments: (environmentsOf.get(name) ?? []).map(({ environment }) => environment),
      };
    },
  }));
};

/** Answers what one statement can, and returns the rest. */
const replaySome = async (
  db: Db,
  limiter: ScanLimiter,
  actor: Actor,
  queries: readonly AsOfQuery[],
  budget: HistoryBudget,
) => {
  const queriesOf = groupBy(queries, ({ name }) => name);
  const replayed: [AsOfQuery, FeatureAsOf][] = [];
  const open: AsOfQuery[] = [];
  const pasts = await limiter.run(callerOf(actor), (turn) =>
    turn(() => readPasts(db, actor, queriesOf, budget)),
  );
  for (const { name, end, read } of pasts) {
    const past = await read();
    for (const query of queriesOf.get(name) ?? []) {
      // A truncated history lacks events that earlier timestamps need.
      if (past.isCut && endOf(query.time) !== end) {
        open.push(query);
        continue;
      }
      await budget.walk(past.events.length);
      replayed.push([query, await featureAsOf({ time: query.time, ...past })]);
    }
  }
  return { replayed, open };
};

/** Features at timestamps, each read once for all its timestamps; rejected ones map to their error. */
export const listFeaturesAsOf = async (
  db: Db,
  { limiter }: Pick<EventLogCache, 'limiter'>,
  actor: Actor,
  { queries, budget }: { queries: readonly AsOfQuery[]; budget: HistoryBudget },
): Promise<ReadonlyMap<AsOfQuery, FeatureAsOf | BadDataError>> => {
  const results = new Map<AsOfQuery, FeatureAsOf | BadDataError>();
  for (const query of queries) {
    const fault = faultOf(query);
    if (fault) results.set(query, fault);
  }

  return budget.inTurn(async () => {
    let remaining = queries.filter((query) => !results.has(query));
    while (remaining.length > 0) {
      const { replayed, open } = await replaySome(db, limiter, actor, remaining, budget);
      for (const [query, state] of replayed) results.set(query, state);
      remaining = open;
    }
    return results;
  });
};
