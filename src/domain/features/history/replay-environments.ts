import { switchedBy } from './enabled-state.js';
import {
  type EnvironmentState,
  type FeatureState,
  type Recorded,
  recorded,
  type Strategies,
} from './feature-state.js';
import { environmentOf, type HistoryEvent, isAbout, isInProject } from './history-event.js';
import { isCreation, variantsIn } from './recorded-shapes.js';
import { orderedBy, withAdded, without, withoutSegment, withUpdated } from './replay-strategies.js';
import { deletedSegment } from './strategy-evidence.js';

type Variants = EnvironmentState['variants'];

const isEmpty = (list: unknown): boolean =>
  list === undefined || (Array.isArray(list) && list.length === 0);

const isInEnvironment = (event: HistoryEvent, environment: string | null): boolean =>
  event.environment === null || event.environment === environment;

/** Content of an environment after it was created or deleted; a new one can be a copy of another. */
const listAfter = <List extends Strategies | Variants>(
  event: HistoryEvent,
  before: List,
  environment: string | null,
): List | Recorded<never[]> => {
  const isHere = isAbout(event, environment);
  if (isHere === false) return before;
  switch (event.type) {
    case 'environment-deleted':
    case 'drop-environments':
      return isHere ? recorded([]) : null;
    case 'environment-created':
    case 'environment-import':
      return null;
    default:
      return before;
  }
};

const strategiesAfter = (
  event: HistoryEvent,
  before: Strategies,
  environment: string | null,
  project: string | null,
): Strategies => {
  switch (event.type) {
    case 'feature-created':
      // Very old features were created together with their strategies.
      return isCreation(event.data) && isEmpty(event.data['strategies']) ? recorded([]) : null;
    case 'feature-import':
    case 'feature-updated':
      return null;
    case 'feature-strategy-add':
      return isInEnvironment(event, environment) ? withAdded(before, event) : before;
    case 'feature-strategy-update':
      return isInEnvironment(event, environment) ? withUpdated(before, event) : before;
    case 'feature-strategy-remove':
      return isInEnvironment(event, environment) ? without(before, event) : before;
    case 'strategy-order-changed':
      return isInEnvironment(event, environment) ? orderedBy(before, event) : before;
    case 'features-imported':
      // An import removes all strategies of its features, and its event names neither.
      if (!isInEnvironment(event, environment)) return before;
      return isInProject(event, project) === false ? before : null;
    case 'segment-deleted':
      return withoutSegment(before, deletedSegment(event));
    default:
      return listAfter(event, before, environment);
  }
};

const variantsAfter = (
  event: HistoryEvent,
  before: Variants,
  environment: string | null,
  project: string | null,
): Variants => {
  switch (event.type) {
    case 'feature-created':
    case 'feature-import':
    case 'feature-updated':
      // A clone is created with variants that no event records.
      return null;
    case 'feature-environment-variants-updated':
      if (!isInEnvironment(event, environment)) return before;
      return event.environment === null ? null : variantsIn(event.data);
    case 'feature-variants-updated':
      return variantsIn(event.data);
    case 'project-environment-removed': {
      const [isHere, isOfProject] = [isAbout(event, environment), isInProject(event, project)];
      if (isHere === false || isOfProject === false) return before;
      return isHere && isOfProject ? recorded([]) : null;
    }
    default:
      return listAfter(event, before, environment);
  }
};

/** These concern all environments, whichever they name. */
const ALL_ENVIRONMENT_TYPES: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-import',
  'feature-updated',
  'feature-revived',
  'feature-variants-updated',
]);

/** Applies an event to the environments it concerns. */
export const replayInEnvironments = (event: HistoryEvent, state: FeatureState): void => {
  const { environments, aspects } = state;
  const projectId = aspects.project?.value ?? null;
  const after = (before: EnvironmentState, environment: string | null): EnvironmentState => ({
    enabled: switchedBy(event, before.enabled, { environment, projectId }),
    strategies: strategiesAfter(event, before.strategies, environment, projectId),
    variants: variantsAfter(event, before.variants, environment, projectId),
  });

  const named = environmentOf(event);
  if (named !== null) {
    environments.set(named, after(environments.get(named) ?? state.elsewhere, named));
    if (!ALL_ENVIRONMENT_TYPES.has(event.type)) return;
  }
  for (const [name, before] of environments) {
    if (name !== named) environments.set(name, after(before, name));
  }
  state.elsewhere = after(state.elsewhere, null);
};
