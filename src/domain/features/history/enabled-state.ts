import { type HistoryEvent, isAbout, isInProject, isRecent } from './history-event.js';
import { isCreation } from './recorded-shapes.js';

/** Whether a feature is on in an environment; GONE where there is no such feature. */
export type EnabledState = 'ENABLED' | 'DISABLED' | 'UNKNOWN' | 'GONE';

const SWITCHES: ReadonlyMap<string, EnabledState> = new Map([
  ['feature-environment-enabled', 'ENABLED'],
  ['feature-environment-disabled', 'DISABLED'],
]);

/** Events of a feature that switch it, make it or end it. */
export const SWITCHING_TYPES: readonly string[] = [
  ...SWITCHES.keys(),
  'feature-created',
  'feature-updated',
  'feature-import',
  'feature-revived',
  'feature-deleted',
  // Switches nothing, and tells which project's environments count from then on.
  'feature-project-change',
];

/** Events of no single feature that may switch many. */
export const SWITCHING_GENERAL_TYPES: readonly string[] = [
  'project-environment-removed',
  'environment-created',
  'environment-deleted',
  'environment-import',
  'drop-environments',
  'drop-features',
  // The original's own imports name their feature in the payload only.
  'feature-import',
];

/** New features are off everywhere; before there were environments they came with a switch of their own. */
const atCreation = ({ data }: HistoryEvent): EnabledState => {
  if (!isCreation(data)) return 'UNKNOWN';
  return data['enabled'] === undefined || data['enabled'] === false ? 'DISABLED' : 'UNKNOWN';
};

type Place = {
  /** Null stands for every environment that no event has named. */
  environment: string | null;
  /** The project of the feature before the event, where it is known. */
  projectId: string | null;
};

/** Events that belong to no single feature: an environment left, came or went. */
const generallySwitched = (
  event: HistoryEvent,
  before: EnabledState,
  { environment, projectId }: Place,
): EnabledState => {
  if (before === 'GONE') return before;
  if (event.type === 'drop-features') return 'GONE';
  const isHere = isAbout(event, environment);
  if (isHere === false) return before;

  switch (event.type) {
    case 'project-environment-removed': {
      const isOfProject = isInProject(event, projectId);
      if (isOfProject === false) return before;
      return (isOfProject && isHere) || before === 'DISABLED' ? 'DISABLED' : 'UNKNOWN';
    }
    case 'environment-deleted':
      return isHere || before === 'DISABLED' ? 'DISABLED' : 'UNKNOWN';
    case 'drop-environments':
      return 'DISABLED';
    case 'environment-created':
    case 'environment-import':
      // An environment may be made as a copy of another one, with everything that is on there.
      return 'UNKNOWN';
    default:
      return before;
  }
};

/** Whether the feature is on in the environment after an event, as far as the event tells. */
export const switchedBy = (
  event: HistoryEvent,
  before: EnabledState,
  place: Place,
): EnabledState => {
  const switched = SWITCHES.get(event.type);
  if (switched) {
    if (event.environment === null) return 'UNKNOWN';
    return event.environment === place.environment ? switched : before;
  }

  switch (event.type) {
    case 'feature-created':
      return atCreation(event);
    case 'feature-import':
    case 'feature-updated':
      return 'UNKNOWN';
    case 'feature-deleted':
      return 'GONE';
    case 'feature-revived':
      // A revived feature is off; before 5.7 of the original it came back as it had been.
      return before === 'DISABLED' || isRecent(event) ? 'DISABLED' : 'UNKNOWN';
    default:
      return generallySwitched(event, before, place);
  }
};
