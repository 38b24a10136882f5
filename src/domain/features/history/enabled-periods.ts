import { type EnabledState, switchedBy } from './enabled-state.js';
import { type HistoryEvent, isOwn } from './history-event.js';

/** A stretch of time in which a feature was on, off, or in a state the log does not tell. */
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
  /** Whether older events were left out. */
  isCut: boolean;
  /** What the database says now. */
  isEnabled: boolean;
};

type Open = { state: EnabledState; from: Date | null; startedBy: number | null };

/** Nothing before these can have said the same. */
const TURNS: ReadonlySet<string> = new Set(['feature-created', 'feature-deleted', 'drop-features']);

const projectAfter = (event: HistoryEvent, projectId: string | null): string | null =>
  event.featureName === null ? projectId : (event.projectId ?? projectId);

/** The periods that the events tell of, oldest first; none while there was no such feature. */
const walk = ({ environment, events, isCut }: SwitchHistory) => {
  const isBorn = events.find(({ featureName }) => featureName)?.type === 'feature-created';
  const closed: (Open & { to: Date | null; endedBy: number })[] = [];
  let open: Open = { state: isBorn ? 'GONE' : 'UNKNOWN', from: null, startedBy: null };
  let projectId: string | null = null;
  let mayRepeat = isCut;
  let isHeardOf = isBorn;

  for (const event of events) {
    isHeardOf ||= isOwn(event);
    // The end of all features tells nothing of one that may not have been among them.
    if (event.type === 'drop-features' && !isHeardOf) continue;

    const state = switchedBy(event, open.state, { environment, projectId });
    projectId = projectAfter(event, projectId);
    if (state === open.state) continue;

    // What was left out may have said the same already.
    if (mayRepeat && !TURNS.has(event.type)) {
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

/** Periods in time order, the present one last; of many, the last ones. */
export const enabledPeriods = (history: SwitchHistory, last: number): EnabledPeriod[] => {
  const { closed, open } = walk(history);
  // Whoever asks looks at the feature: a log that ends with its deletion cannot be right.
  const isDenied = open.state === 'GONE';
  const present = { ...open, state: open.state === 'GONE' ? ('UNKNOWN' as const) : open.state };
  const isContradicted =
    isDenied ||
    (present.state !== 'UNKNOWN' && (present.state === 'ENABLED') !== history.isEnabled);

  const periods = [...closed, { ...present, to: null, endedBy: null }].flatMap((period) =>
    period.state === 'GONE' ? [] : [{ ...period, state: period.state }],
  );
  const isShortened = history.isCut || periods.length > last;
  const shown = periods.slice(-last);
  return shown.map((period, index) => ({
    environment: history.environment,
    ...period,
    contradicted: isContradicted && index === shown.length - 1,
    earlierOmitted: isShortened && index === 0,
  }));
};
