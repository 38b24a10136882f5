import { type HistoryEvent, isAbout, isDeletion, isInProject, isRecent } from './history-event.js';
import { isCreation } from './recorded-shapes.js';

/** State of a feature in an environment; GONE if the feature does not exist. */
export type EnabledState = 'ENABLED' | 'DISABLED' | 'UNKNOWN' | 'GONE';

const SWITCHES: ReadonlyMap<string, EnabledState> = new Map([
  ['feature-environment-enabled', 'ENABLED'],
  ['feature-environment-disabled', 'DISABLED'],
]);

/** Events of a feature that switch, create or delete it. */
export const SWITCHING_TYPES: readonly string[] = [
  ...SWITCHES.keys(),
  'feature-created',
  'feature-updated',
  'feature-import',
  'feature-revived',
  'feature-deleted',
  // Switches nothing, but determines which project's environments count from then on.
  'feature-project-change',
];

/** Events of no single feature that can switch many. */
export const SWITCHING_GENERAL_TYPES: readonly string[] = [
  'project-environment-removed',
  'environment-created',
  'environment-deleted',
  'environment-import',
  'drop-environments',
  'drop-features',
  // Unleash's own imports name their feature only in the payload.
  'feature-import',
];

/** New features are disabled everywhere; before Unleash had environments, they had an `enabled` of their own. */
const atCreation = ({ data }: HistoryEvent): EnabledState => {
  if (!isCreation(data)) return 'UNKNOWN';
  return data['enabled'] === undefined || data['enabled'] === false ? 'DISABLED' : 'UNKNOWN';
};

type Scope = {
  /** Null means every environment that no event has named. */
  environment: string | null;
  /** The project of the feature before the event, if known. */
  projectId: string | null;
};

/** Handles events of no single feature: an environment was removed, created or deleted. */
const generallySwitched = (
  event: HistoryEvent,
  before: EnabledState,
  { environment, projectId }: Scope,
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
      // An environment can be created as a copy of another one, with everything that is enabled there.
      return 'UNKNOWN';
    default:
      return before;
  }
};

/** State of the feature in the environment after an event, as far as the event records it. */
export const switchedBy = (
  event: HistoryEvent,
  before: EnabledState,
  scope: Scope,
): EnabledState => {
  const switched = SWITCHES.get(event.type);
  if (switched) {
    if (event.environment === null) return 'UNKNOWN';
    return event.environment === scope.environment ? switched : before;
  }

  switch (event.type) {
    case 'feature-created':
      return atCreation(event);
    case 'feature-import':
    case 'feature-updated':
      return 'UNKNOWN';
    case 'feature-deleted':
      return isDeletion(event) ? 'GONE' : before;
    case 'feature-revived':
      // A revived feature is disabled; before Unleash 5.7 it kept its state.
      return before === 'DISABLED' || isRecent(event) ? 'DISABLED' : 'UNKNOWN';
    default:
      return generallySwitched(event, before, scope);
  }
};
