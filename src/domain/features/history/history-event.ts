import { isObject } from '../../json.js';

/** As much of a recorded event as replaying it takes. */
export type HistoryEvent = {
  id: number;
  type: string;
  createdAt: Date | null;
  projectId: string | null;
  environment: string | null;
  /** Null on events that concern more than one feature, such as the removal of an environment. */
  featureName: string | null;
  ip: string | null;
  data: unknown;
  preData: unknown;
};

/**
 * Events carry an address since the original's 6.0. What it did silently before is not what it does now, and only this
 * tells the two apart.
 */
export const isRecent = ({ ip }: HistoryEvent): boolean => ip !== null;

/** Whether an event is of one feature; the original's own imports name it in their payload only. */
export const isOwn = ({ featureName, type }: HistoryEvent): boolean =>
  featureName !== null || type === 'feature-import';

const ENVIRONMENT_TYPES: ReadonlySet<string> = new Set([
  'project-environment-removed',
  'environment-created',
  'environment-deleted',
  'environment-import',
]);

const nameIn = (payload: unknown): string | null =>
  isObject(payload) && typeof payload['name'] === 'string' ? payload['name'] : null;

/** The environment that an event speaks of, which some only name in their payload. */
export const environmentOf = ({ type, environment, data, preData }: HistoryEvent) =>
  environment ?? (ENVIRONMENT_TYPES.has(type) ? (nameIn(data) ?? nameIn(preData)) : null);

/**
 * Whether an event about environments themselves is about this one, or about all as `drop-environments` is; null when
 * it should say and does not.
 */
export const isAbout = (event: HistoryEvent, environment: string | null): boolean | null => {
  if (event.type === 'drop-environments') return environment !== null;
  if (!ENVIRONMENT_TYPES.has(event.type)) return false;
  const named = environmentOf(event);
  return named === null ? null : named === environment;
};

/** Whether an event of a project concerns a feature that is in this one; null where either is not known. */
export const isInProject = ({ projectId }: HistoryEvent, project: string | null): boolean | null =>
  projectId === null || project === null ? null : projectId === project;
