import { type EnabledState, switchedBy } from './enabled-state.js';
import { type HistoryEvent, isOwn } from './history-event.js';

/** A period in which a feature was enabled, disabled, or in a state that the log does not record. */
export type EnabledPeriod = {
  environment: string;
  state: Exclude<EnabledState, 'GONE'>;
  from: Date | null;
  to: Date | null;
  startedBy: number | null;
  endedBy: number | null;
  contradicted: boolean;
  earlierOmitted: boolean;
};

export type SwitchHistory = {
  environment: string;
  /** Oldest first. */
  events: readonly HistoryEvent[];
  /** Whether older events were omitted. */
  isCut: boolean;
  /** Current value in the database. */
  isEnabled: boolean;
};

type Open = { state: EnabledState; from: Date | null; startedBy: number | null };

/** No event before these can have set the same state. */
const RESET_TYPES: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-deleted',
  'drop-features',
]);

const projectAfter = (event: HistoryEvent, projectId: string | null): string | null =>
  event.featureName === null ? projectId : (event.projectId ?? projectId);

/** The periods that the events record, oldest first; none while the feature did not exist. */
const walk = ({ environment, events, isCut }: SwitchHistory) => {
  const startsWithCreation =
    events.find(({ featureName }) => featureName)?.type === 'feature-created';
  const closed: (Open & { to: Date | null; endedBy: number })[] = [];
  let open: Open = { state: startsWithCreation ? 'GONE' : 'UNKNOWN', from: null, startedBy: null };
  let projectId: string | null = null;
  let mayRepeat = isCut;
  let isHeardOf = startsWithCreation;

  for (const event of events) {
    isHeardOf ||= isOwn(event);
    // `drop-features` says nothing about a feature that may not have existed yet.
    if (event.type === 'drop-features' && !isHeardOf) continue;

    const state = switchedBy(event, open.state, { environment, projectId });
    projectId = projectAfter(event, projectId);
    if (state === open.state) continue;

    // An omitted event may have set the same state already.
    if (mayRepeat && !RESET_TYPES.has(event.type)) {
      open = { ...open, state };
      mayRepeat = false;
      continue;
    }
    mayRepeat = false;
    closed.push({ ...open, to: event.createdAt, endedBy: event.id });
    open = { state, from: event.createdAt, startedBy: event.id };
  }
  return { closed, open };
};

/** Chronological, with the current period last; the last ones if there are too many. */
export const enabledPeriods = (history: SwitchHistory, last: number): EnabledPeriod[] => {
  const { closed, open } = walk(history);
  // The feature exists, so a log that ends with its deletion must be wrong.
  const isDenied = open.state === 'GONE';
  const present = { ...open, state: open.state === 'GONE' ? ('UNKNOWN' as const) : open.state };
  const isContradicted =
    isDenied ||
    (present.state !== 'UNKNOWN' && (present.state === 'ENABLED') !== history.isEnabled);

  const periods = [...closed, { ...present, to: null, endedBy: null }].flatMap((period) =>
    period.state === 'GONE' ? [] : [{ ...period, state: period.state }],
  );
  const isShortened = history.isCut || periods.length > last;
  const lastPeriods = periods.slice(-last);
  return lastPeriods.map((period, index) => ({
    environment: history.environment,
    ...period,
    contradicted: isContradicted && index === lastPeriods.length - 1,
    earlierOmitted: isShortened && index === 0,
  }));
};
