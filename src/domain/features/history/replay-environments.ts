import { asArray, isObject, type JsonObject } from '../../json.js';
import { switchedBy } from './enabled-state.js';
import { type EnvironmentState, type FeatureState, type Told, told } from './feature-state.js';
import { type HistoryEvent, isAbout } from './history-event.js';
import { orderedBy, withAdded, without, withUpdated } from './replay-strategies.js';

type Strategies = EnvironmentState['strategies'];
type Variants = EnvironmentState['variants'];

/** An event and what was recorded before it. */
export type PlacedEvent = HistoryEvent & { preData: unknown };

export const listIn = (data: unknown, key: string): Told<readonly JsonObject[]> => {
  const list = isObject(data) ? data[key] : undefined;
  return Array.isArray(list) && list.every(isObject) ? told(list) : null;
};

const isInEnvironment = (event: HistoryEvent, environment: string | null): boolean =>
  event.environment === null || event.environment === environment;

/** Whether an event about an environment of a project may be about this feature. */
const isInProject = (event: HistoryEvent, project: Told<string>): boolean =>
  project === null || event.projectId === project.value;

/** What an environment held when it came or went; one that comes may be a copy of another. */
const listAfter = <List extends Strategies | Variants>(
  event: PlacedEvent,
  before: List,
  environment: string | null,
): List | Told<never[]> => {
  if (environment === null || !isAbout(event, environment)) return before;
  switch (event.type) {
    case 'environment-deleted':
    case 'drop-environments':
      return told([]);
    case 'environment-created':
    case 'environment-import':
      return null;
    default:
      return before;
  }
};

const strategiesAfter = (
  event: PlacedEvent,
  before: Strategies,
  environment: string | null,
  project: Told<string>,
): Strategies => {
  switch (event.type) {
    case 'feature-created':
      // Very old features were created together with their strategies.
      return isObject(event.data) && asArray(event.data['strategies']).length === 0
        ? told([])
        : null;
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
      // An import takes away all strategies of its features, and names neither.
      return isInEnvironment(event, environment) && isInProject(event, project) ? null : before;
    default:
      return listAfter(event, before, environment);
  }
};

const variantsAfter = (
  event: PlacedEvent,
  before: Variants,
  environment: string | null,
  project: Told<string>,
): Variants => {
  switch (event.type) {
    case 'feature-created':
    case 'feature-import':
    case 'feature-updated':
      // A clone is created with variants that no event tells of.
      return null;
    case 'feature-environment-variants-updated':
      if (!isInEnvironment(event, environment)) return before;
      return event.environment === null ? null : listIn(event.data, 'variants');
    case 'feature-variants-updated':
      return listIn(event.data, 'variants');
    case 'project-environment-removed':
      if (environment === null || !isAbout(event, environment)) return before;
      if (project === null) return null;
      return isInProject(event, project) ? told([]) : before;
    default:
      return listAfter(event, before, environment);
  }
};

/** The environment an event speaks of by name. */
const namedBy = ({ environment, type, data }: HistoryEvent): string | null => {
  if (environment !== null) return environment;
  const name = type.startsWith('environment-') && isObject(data) ? data['name'] : undefined;
  return typeof name === 'string' ? name : null;
};

/** These concern all environments, whatever they name. */
const WHOLE: ReadonlySet<string> = new Set([
  'feature-created',
  'feature-import',
  'feature-updated',
  'feature-revived',
  'feature-variants-updated',
]);

/** Lets an event change what holds in the environments it concerns. */
export const replayInEnvironments = (event: PlacedEvent, state: FeatureState): void => {
  const { environments, aspects } = state;
  const projectId = aspects.project?.value ?? null;
  const after = (before: EnvironmentState, environment: string | null): EnvironmentState => ({
    enabled: switchedBy(event, before.enabled, { environment, projectId }),
    strategies: strategiesAfter(event, before.strategies, environment, aspects.project),
    variants: variantsAfter(event, before.variants, environment, aspects.project),
  });

  const named = namedBy(event);
  if (named !== null) {
    environments.set(named, after(environments.get(named) ?? state.elsewhere, named));
    if (!WHOLE.has(event.type)) return;
  }
  for (const [name, before] of environments) {
    if (name !== named) environments.set(name, after(before, name));
  }
  state.elsewhere = after(state.elsewhere, null);
};
