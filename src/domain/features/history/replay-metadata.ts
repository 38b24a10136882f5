import { isObject, type JsonObject } from '../../json.js';
import { type Aspects, NO_ASPECTS, type Recorded, recorded } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';

const textOrNull = (data: JsonObject, key: string): Recorded<string | null> => {
  const value = data[key];
  return typeof value === 'string' || value === null ? recorded(value) : null;
};

/** Null means false in these columns. */
const booleanIn = (data: JsonObject, key: string): Recorded<boolean> => {
  const value = data[key];
  return typeof value === 'boolean' || value === null ? recorded(value === true) : null;
};

export type Metadata = Omit<Aspects, 'tags' | 'dependencies'>;

/** Reads a payload that describes the whole feature; what it omits is unknown. */
export const metadataIn = (payload: unknown): Metadata => {
  const data = isObject(payload) ? payload : {};
  const project = data['project'];
  return {
    project: typeof project === 'string' ? recorded(project) : null,
    type: textOrNull(data, 'type'),
    description: textOrNull(data, 'description'),
    stale: booleanIn(data, 'stale'),
    impressionData: booleanIn(data, 'impressionData'),
    archived: booleanIn(data, 'archived'),
  };
};

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const dependencyIn = (data: unknown): Aspects['dependencies'] => {
  if (!isObject(data) || typeof data['feature'] !== 'string') return null;
  const { feature, enabled = true, variants = [] } = data;
  if (typeof enabled !== 'boolean' || !isListOfTexts(variants)) return null;
  return recorded([{ feature, enabled, variants }]);
};

/** Removing a parent that was never added means that the log is incomplete. */
const without = (dependencies: Aspects['dependencies'], data: unknown): Aspects['dependencies'] => {
  const parent = isObject(data) ? data['feature'] : undefined;
  if (dependencies === null || typeof parent !== 'string') return null;
  const others = dependencies.value.filter(({ feature }) => feature !== parent);
  return others.length === dependencies.value.length ? null : recorded(others);
};

/** Features are never created archived; a payload that says otherwise contradicts its event. */
const archivedAtCreation = (data: unknown): Aspects['archived'] => {
  const archived = isObject(data) ? data['archived'] : undefined;
  return archived === undefined || archived === null || archived === false ? recorded(false) : null;
};

/** Aspects after an event of the feature, except tags. */
export const aspectsAfter = (event: HistoryEvent, before: Aspects): Aspects => {
  const { data } = event;
  switch (event.type) {
    case 'feature-created':
      return {
        ...NO_ASPECTS,
        ...metadataIn(data),
        archived: archivedAtCreation(data),
        dependencies: recorded([]),
      };
    case 'feature-import':
      return { ...NO_ASPECTS, ...metadataIn(data) };
    case 'feature-metadata-updated':
    case 'feature-updated':
      return { ...before, ...metadataIn(data) };
    case 'feature-stale-on':
    case 'feature-stale-off':
      return { ...before, stale: recorded(event.type === 'feature-stale-on') };
    case 'feature-archived':
    case 'feature-revived':
      return { ...before, archived: recorded(event.type === 'feature-archived') };
    case 'feature-dependency-added':
      // Unleash keeps one parent: a new one replaces the old.
      return { ...before, dependencies: dependencyIn(data) };
    case 'feature-dependency-removed':
      return { ...before, dependencies: without(before.dependencies, data) };
    case 'feature-dependencies-removed':
      return { ...before, dependencies: recorded([]) };
    default:
      return before;
  }
};

/** The project after an event of the feature: every event names it. */
export const projectAfter = (event: HistoryEvent, aspects: Aspects): Recorded<string> => {
  if (event.type === 'feature-project-change') {
    const { newProject } = isObject(event.data) ? event.data : {};
    if (typeof newProject === 'string') return recorded(newProject);
    return event.projectId === null ? null : recorded(event.projectId);
  }
  return event.projectId === null ? aspects.project : recorded(event.projectId);
};
