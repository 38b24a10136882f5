import { isObject, type JsonObject } from '../../json.js';
import { type Aspects, NO_ASPECTS, type Told, told } from './feature-state.js';
import type { HistoryEvent } from './history-event.js';

const textOrNull = (data: JsonObject, key: string): Told<string | null> => {
  const value = data[key];
  return typeof value === 'string' || value === null ? told(value) : null;
};

/** Null stands for false in these columns. */
const truth = (data: JsonObject, key: string): Told<boolean> => {
  const value = data[key];
  return typeof value === 'boolean' || value === null ? told(value === true) : null;
};

export type Metadata = Omit<Aspects, 'tags' | 'dependencies'>;

/** What a payload that describes the whole feature tells of it; what it leaves out is not known. */
export const metadataIn = (payload: unknown): Metadata => {
  const data = isObject(payload) ? payload : {};
  const project = data['project'];
  return {
    project: typeof project === 'string' ? told(project) : null,
    type: textOrNull(data, 'type'),
    description: textOrNull(data, 'description'),
    stale: truth(data, 'stale'),
    impressionData: truth(data, 'impressionData'),
    archived: truth(data, 'archived'),
  };
};

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const dependencyIn = (data: unknown): Aspects['dependencies'] => {
  if (!isObject(data) || typeof data['feature'] !== 'string') return null;
  const { feature, enabled = true, variants = [] } = data;
  if (typeof enabled !== 'boolean' || !isListOfTexts(variants)) return null;
  return told([{ feature, enabled, variants }]);
};

/** The end of a parent nobody added means that the log lacks something. */
const without = (dependencies: Aspects['dependencies'], data: unknown): Aspects['dependencies'] => {
  const parent = isObject(data) ? data['feature'] : undefined;
  if (dependencies === null || typeof parent !== 'string') return null;
  const others = dependencies.value.filter(({ feature }) => feature !== parent);
  return others.length === dependencies.value.length ? null : told(others);
};

/** Nothing is created in the archive; a payload that says otherwise contradicts its event. */
const archivedAtCreation = (data: unknown): Aspects['archived'] => {
  const archived = isObject(data) ? data['archived'] : undefined;
  return archived === undefined || archived === null || archived === false ? told(false) : null;
};

/** The aspects after an event of the feature; tags apart. */
export const aspectsAfter = (event: HistoryEvent, before: Aspects): Aspects => {
  const { data } = event;
  switch (event.type) {
    case 'feature-created':
      return {
        ...NO_ASPECTS,
        ...metadataIn(data),
        archived: archivedAtCreation(data),
        dependencies: told([]),
      };
    case 'feature-import':
      return { ...NO_ASPECTS, ...metadataIn(data) };
    case 'feature-metadata-updated':
    case 'feature-updated':
      return { ...before, ...metadataIn(data) };
    case 'feature-stale-on':
    case 'feature-stale-off':
      return { ...before, stale: told(event.type === 'feature-stale-on') };
    case 'feature-archived':
    case 'feature-revived':
      return { ...before, archived: told(event.type === 'feature-archived') };
    case 'feature-dependency-added':
      // The original keeps one parent: a new one takes the place of the old.
      return { ...before, dependencies: dependencyIn(data) };
    case 'feature-dependency-removed':
      return { ...before, dependencies: without(before.dependencies, data) };
    case 'feature-dependencies-removed':
      return { ...before, dependencies: told([]) };
    default:
      return before;
  }
};

/** The project after an event of the feature: every one of them names it. */
export const projectAfter = (event: HistoryEvent, aspects: Aspects): Told<string> => {
  if (event.type === 'feature-project-change') {
    const { newProject } = isObject(event.data) ? event.data : {};
    if (typeof newProject === 'string') return told(newProject);
    return event.projectId === null ? null : told(event.projectId);
  }
  return event.projectId === null ? aspects.project : told(event.projectId);
};
